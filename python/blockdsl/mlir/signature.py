"""Signature of a module's kernel.

Example:
    name, arguments = kernel_signature(module)
    for type, attributes, parameter in arguments:
        print(parameter, type, "tt.divisibility" in attributes)
"""

from __future__ import annotations

from blockdsl import _native
from blockdsl.errors import CompilationError


def kernel_signature(module: _native.Module) -> tuple[str, list[tuple[str, dict[str, _native.Attribute], str]]]:
    """The name of the module's public function, and of each of its arguments the type, the attributes, and what the
    source calls it, which is empty where the module does not say."""
    found = _native.kernel_signature(module)
    if found is None:
        raise CompilationError(
            "the module has no public function with a body, and so no kernel",
            hint="a kernel is a 'tt.func public', as Triton prints it",
        )
    return found

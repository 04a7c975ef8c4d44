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
    """Returns the name of the module's public function, and for each argument its type, attributes and source name. The
    name is empty if the module does not contain it."""
    found = _native.kernel_signature(module)
    if found is None:
        raise CompilationError(
            "the module has no public function with a body, and so no kernel",
            hint="a kernel is a 'tt.func public', as Triton prints it",
        )
    return found

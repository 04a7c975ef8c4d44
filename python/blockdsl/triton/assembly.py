"""``kernel.asm`` of kernels that Triton has compiled for the CPU: the files that Triton keeps, and all stages of ours.

Running a kernel needs none of the stages between text and binary, so they are made when they are read.
"""

from __future__ import annotations

import functools
from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any

from blockdsl.compiler.compiled_kernel import Stages
from blockdsl.compiler.cpu_kernel import texts_of
from blockdsl.compiler.stages import STAGES
from blockdsl.forks import cached_property
from blockdsl.tracebacks import border
from blockdsl.triton import kernel_binary

BINARY = "blockdsl"
"""The name of what Triton keeps as a kernel's machine code."""

_LIBRARIES = ("so", "launcher.so")
"""What AOTInductor asks for; not among the keys, as little as Triton's ``sass``."""


class Assembly(dict[str, Any]):
    """The text of each stage by name, in the order of compilation, and the binary.

    Args:
        kept: What Triton has kept of the kernel.
        signature: The type of each parameter, constants included.
    """

    def __init__(self, kept: Mapping[str, Any], signature: Mapping[str, Any]) -> None:
        super().__init__(kept)
        self._signature = signature

    @cached_property
    def _stages(self) -> Stages:
        _, program, options = kernel_binary.opened(self[BINARY])
        return Stages(STAGES, functools.partial(texts_of, program, options))

    @border
    def __missing__(self, key: str) -> Any:
        if key in STAGES:
            self[key] = self._stages[key]
        elif key in _LIBRARIES:
            from blockdsl.triton.shared_library import library

            self[key] = library(kernel_binary.unpack(self[BINARY]), self._signature)
        else:
            # In Triton's words.
            raise KeyError(f"Unknown key: '{key}'")
        return self[key]

    def __contains__(self, key: object) -> bool:
        return key in STAGES or (super().__contains__(key) and key not in _LIBRARIES)

    def __iter__(self) -> Iterator[str]:
        # Of a file of Triton's text there is no source.
        yield from (name for name in super().__iter__() if name not in (*STAGES, BINARY, *_LIBRARIES))
        yield from STAGES
        yield BINARY

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def keys(self) -> KeysView[str]:  # type: ignore[override] # The views of a mapping, which call the methods here.
        return KeysView(self)

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        return ValuesView(self)

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        return ItemsView(self)

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self or key in _LIBRARIES else default

    def __reduce__(self) -> tuple[Any, ...]:
        # Triton hands kernels from process to process; the next one that loads it makes the rest itself.
        return dict, ({name: self[name] for name in self if super(Assembly, self).__contains__(name)},)


def describe(kernel: Any) -> None:
    """Gives a compiled kernel of Triton's all its stages."""
    if not isinstance(kernel.asm, Assembly) and kernel_binary.is_cpu_binary(kernel.asm.get(BINARY)):
        kernel.asm = Assembly(kernel.asm, kernel.src.signature)

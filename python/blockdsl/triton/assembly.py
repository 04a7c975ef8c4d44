"""``kernel.asm`` of Triton's kernels for the CPU: the files that Triton stores, and all our stages.

Running a kernel needs no stage between text and binary, so these are produced on first use.
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
"""Triton's name of the file with a kernel's machine code."""

_LIBRARIES = ("so", "launcher.so")
"""The keys for AOTInductor. Like Triton's ``sass`` they are not listed."""


class Assembly(dict[str, Any]):
    """The text of each stage by name, in the order of compilation, and the binary.

    Args:
        kept: The files of the kernel that Triton has stored.
        signature: The type of each parameter, including constants.
    """

    def __init__(self, files: Mapping[str, Any], signature: Mapping[str, Any]) -> None:
        super().__init__(files)
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
            # Triton's message.
            raise KeyError(f"Unknown key: '{key}'")
        return self[key]

    def __contains__(self, key: object) -> bool:
        return key in STAGES or (super().__contains__(key) and key not in _LIBRARIES)

    def __iter__(self) -> Iterator[str]:
        # A kernel from a file of Triton's text has no source.
        yield from (name for name in super().__iter__() if name not in (*STAGES, BINARY, *_LIBRARIES))
        yield from STAGES
        yield BINARY

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def keys(self) -> KeysView[str]:  # type: ignore[override] # A mapping's views call the methods here.
        return KeysView(self)

    def values(self) -> ValuesView[Any]:  # type: ignore[override]
        return ValuesView(self)

    def items(self) -> ItemsView[str, Any]:  # type: ignore[override]
        return ItemsView(self)

    def get(self, key: str, default: Any = None) -> Any:
        return self[key] if key in self or key in _LIBRARIES else default

    def __reduce__(self) -> tuple[Any, ...]:
        # Triton sends kernels to other processes, which produce the other stages themselves.
        return dict, ({name: self[name] for name in self if super(Assembly, self).__contains__(name)},)


def describe(kernel: Any) -> None:
    """Adds all stages to the ``asm`` of a kernel that Triton has compiled."""
    if not isinstance(kernel.asm, Assembly) and kernel_binary.is_cpu_binary(kernel.asm.get(BINARY)):
        kernel.asm = Assembly(kernel.asm, kernel.src.signature)

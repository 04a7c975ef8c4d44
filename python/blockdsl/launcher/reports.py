"""Errors that the native launcher reports for programs of a launch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn

from blockdsl.errors.program_errors import Memory, Outside, failed_assertion, outside
from blockdsl.launcher.storages import memory_behind

if TYPE_CHECKING:
    from blockdsl.compiler.cpu_kernel import CPUKernel


class Reporting:
    """A launcher that raises errors for failed assertions and for accesses outside of an argument."""

    _memory_behind = staticmethod(memory_behind)

    def _failed(self, kernel: CPUKernel, message: str | None, program: tuple[int, int, int]) -> NoReturn:
        error = failed_assertion(kernel.name, message, program)
        error.location = error.location and kernel.locations.location(error.location)
        raise error

    def _refuse_access(
        self, kernel: CPUKernel, kind: str, name: str, value: object, found: tuple[int, int, int],
        program: tuple[int, int, int], index: tuple[int, ...], numbers: Mapping[str, object], memory: Memory,
        pointer: int,
    ) -> NoReturn:  # fmt: skip
        """Raises the error of an access outside of an argument's memory; ``found`` is its number, offset and size."""
        number, offset, size = found
        access = Outside(kind, offset, size, program, index, numbers)
        raise outside(kernel.name, name, value, pointer, access, memory, kernel.access_location(number))

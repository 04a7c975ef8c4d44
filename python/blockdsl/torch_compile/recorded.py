"""What a kernel has for torch's graphs; imports neither torch nor anything heavy, because every kernel has it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any


class Recorded:
    """Something that is launched, as ``kernel[grid](...)``, also where torch records a graph."""

    def _recorded(self, grid: object) -> Callable[..., Any]:
        """What torch's Dynamo traces of ``kernel[grid]``. It looks for ``__getitem__`` in the class, and there for a
        function that is to be traced instead, ``_torchdynamo_inline``."""
        return partial(self._record_over, grid)

    def _record_over(self, grid: object, /, *args: object, **kwargs: object) -> None:
        from blockdsl.torch_compile.recording import record

        record(self, grid, *args, **kwargs)

    def _record(self, grid: object, args: Sequence[object], kwargs: Mapping[str, object]) -> None:
        """Takes the place of a launch one of whose tensors only stands for one."""
        self._record_over(grid, *args, **kwargs)


def stands_for_another(value: object) -> bool:
    """Whether an argument is what torch's tracers pass in place of a tensor, or describes one of those."""
    if hasattr(value, "block_shape"):
        return stands_for_another(getattr(value, "base", None))
    return type(value).__name__ in ("FakeTensor", "FunctionalTensor")

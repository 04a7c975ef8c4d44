"""Configurations that autotune tries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from blockdsl.errors import TuningError
from blockdsl.forks import cached_property
from blockdsl.tracebacks import border

Hook = Callable[[dict[str, Any]], object]


class Config:
    """Values for some of a kernel's parameters, and options of its compilation.

    Attributes:
        kwargs: Values of the kernel's parameters, by name.
        num_warps: Warps a program runs on, on a GPU.
        num_stages: Depth of its software pipelines, on a GPU.
        num_ctas: Blocks of a cluster, on a GPU.
        maxnreg: Registers a thread may use, on a GPU.
        pre_hook: Called with all arguments, by name, before every launch with this configuration.
        ir_override: Not supported: Triton's name for a file that replaces a stage. Must be None.

    Raises:
        TuningError: ``ir_override`` is not None.

    Example:
        blockdsl.Config({"BLOCK_M": 64, "BLOCK_N": 128}, num_warps=8)
    """

    @border
    def __init__(
        self,
        kwargs: Mapping[str, Any],
        num_warps: int = 4,
        num_stages: int = 3,
        num_ctas: int = 1,
        maxnreg: int | None = None,
        pre_hook: Hook | None = None,
        ir_override: None = None,
    ) -> None:
        if ir_override is not None:
            raise TuningError(
                f"a configuration takes no ir_override, got {ir_override!r}",
                hint="BLOCKDSL_OVERRIDE_DIR names a directory with stages that are taken for the compiler's",
            )
        self.kwargs = dict(kwargs)
        self.num_warps = num_warps
        self.num_stages = num_stages
        self.num_ctas = num_ctas
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def options(self) -> dict[str, int]:
        """The options that are set, by name."""
        every = {"num_warps": self.num_warps, "num_ctas": self.num_ctas, "num_stages": self.num_stages,
                 "maxnreg": self.maxnreg}  # fmt: skip
        return {name: value for name, value in every.items() if value is not None}

    def all_kwargs(self) -> dict[str, Any]:
        """Returns the keyword arguments of a launch with this configuration: parameters, and options that are set."""
        return {**self.kwargs, **self.options()}

    @cached_property
    def chosen(self) -> dict[str, Any]:
        """The same, computed at the first launch: recomputing it would take as long as a launch."""
        return self.all_kwargs()

    def __str__(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.all_kwargs().items())

    def __repr__(self) -> str:
        return f"<blockdsl.Config {self}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Config):
            return NotImplemented
        return self.all_kwargs() == other.all_kwargs() and self.pre_hook == other.pre_hook

    def __hash__(self) -> int:
        # Values may be unhashable, such as lists.
        return hash((*self.kwargs, *self.options().items()))

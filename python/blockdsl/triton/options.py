"""Options of a compilation, as Triton's runtime and front end read them.

Triton's versions have different options, and a program may use those of any device. So all options of the installed
back ends are accepted, with their defaults, and known ones of other versions. Only ``enable_fp_fusion`` and options
that the front end reads affect the code for a CPU.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import sys
from collections.abc import Mapping
from typing import Any

from blockdsl.compiler.options import IGNORED

_OURS: Mapping[str, Any] = {
    "num_warps": 4,
    "num_stages": 3,
    "num_ctas": 1,
    "cluster_dims": (1, 1, 1),
    "warp_size": 1,
    "maxnreg": None,
    "debug": False,
    "sanitize_overflow": True,
    "supported_fp8_dtypes": ("fp8e4b15", "fp8e4b8", "fp8e4nv", "fp8e5", "fp8e5b16"),
    "deprecated_fp8_dot_operand_dtypes": (),
    "default_dot_input_precision": "ieee",
    "allowed_dot_input_precisions": ("ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"),
    "max_num_imprecise_acc_default": 0,
    "extern_libs": (),
    "launch_cooperative_grid": False,
    "launch_pdl": False,
    "instrumentation_mode": "",
    "ir_override": None,
    "backend_name": "cpu",
    "arch": "cpu",
}

_OF_OTHERS = (
    *IGNORED, "allow_flush_denorm", "enable_warp_specialization", "enable_persistent", "optimize_epilogue",
    "threads_per_warp", "ptx_version", "ptx_options",
)  # fmt: skip
"""Options of Triton's other devices and versions that configurations of programs contain."""


@functools.cache
def known_options() -> Mapping[str, Any]:
    """Returns all options with their defaults."""
    from triton.backends import backends

    known: dict[str, Any] = dict.fromkeys(_OF_OTHERS)
    for backend in backends.values():
        module = sys.modules.get(backend.compiler.__module__)
        for kind in vars(module).values() if module else ():
            if isinstance(kind, type) and dataclasses.is_dataclass(kind) and kind.__name__.endswith("Options"):
                known |= {each.name: _plain(each) for each in dataclasses.fields(kind)}
    return {**known, **_OURS}


def _plain(field: Any) -> Any:
    """Returns the default of another back end's option, if its type is plain; else None."""
    value = field.default
    return value if isinstance(value, (bool, int, float, str, tuple, type(None))) else None


def _fusion(given: Any) -> bool:
    """Returns whether a multiplication and an addition may become one operation. The default is that of Triton's
    environment, or else true."""
    from triton import knobs

    if getattr(knobs.language, "force_disable_fp_fusion", False):
        return False
    return bool(knobs.language.default_fp_fusion if given is None else given)


class Options:
    """A set of options. Triton reads its attributes, and copies all of them to a kernel's metadata."""

    debug: bool
    enable_fp_fusion: bool

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update(values)

    @staticmethod
    def of(given: Mapping[str, Any]) -> Options:
        """Returns the options among a launch's keywords. The others are arguments, or Triton reports an error."""
        known = known_options()
        values = {**known, **{name: given[name] for name in known if given.get(name) is not None}}
        values["enable_fp_fusion"] = _fusion(given.get("enable_fp_fusion"))
        values["debug"] = bool(values["debug"])
        # Hooks and metadata contain pairs, as for Triton's other devices.
        values["extern_libs"] = tuple(dict(values["extern_libs"]).items())
        warps = values["num_warps"]
        if warps <= 0 or warps & (warps - 1):
            # The same message and class as for Triton's other devices.
            raise AssertionError(f"num_warps must be a power of 2, got {warps}")
        return Options(values)

    def hash(self) -> str:
        """Returns a digest of all options, including those without effect: Triton's cached metadata contains them."""
        text = "_".join(f"{name}-{value}" for name, value in sorted(self.__dict__.items()))
        return hashlib.sha256(text.encode()).hexdigest()

    def __repr__(self) -> str:
        return f"Options({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"

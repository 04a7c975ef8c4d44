"""What Triton's front end takes from a back end: products, conversions, and the modules that a device implements."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def implementation(options: Any) -> dict[str, Any]:
    """The functions that the front end calls while it translates a kernel."""
    del options
    from triton.language.extra.cuda.utils import convert_custom_float8_sm80

    return {"min_dot_size": lambda lhs, rhs: (1, 1, 1), "convert_custom_types": convert_custom_float8_sm80}


def module_map() -> dict[str, ModuleType]:
    """The modules that stand for Triton's. What is defined in one of the latter is looked up in the former."""
    from triton.language.extra.cuda import libdevice

    from blockdsl.triton import cuda_language

    return {
        "triton.language.extra.libdevice": libdevice,
        "triton.language.extra.cuda": cuda_language,
        "triton.language.extra.cuda.gdc": cuda_language,
        "triton.language.extra.cuda.utils": cuda_language,
    }

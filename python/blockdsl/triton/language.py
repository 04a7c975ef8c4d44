"""Interface of Triton's front end to a back end: dots, conversions, and the modules that a device implements."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from blockdsl.errors import printable


def implementation(options: Any) -> dict[str, Any]:
    """The functions that the front end calls while it translates a kernel."""
    del options
    _escape_names_of_files()
    from triton.language.extra.cuda.utils import convert_custom_float8_sm80

    return {"min_dot_size": lambda lhs, rhs: (1, 1, 1), "convert_custom_types": convert_custom_float8_sm80}


@functools.cache
def _escape_names_of_files() -> None:
    """Has Triton's front end take kernels from files whose names are not UTF-8, which its builder refuses."""
    from triton.compiler.code_generator import CodeGenerator

    make = CodeGenerator.__init__

    @functools.wraps(make)
    def made(self: Any, *args: Any, file_name: str | None = None, **kwargs: Any) -> None:
        make(self, *args, file_name=None if file_name is None else printable(file_name), **kwargs)

    CodeGenerator.__init__ = made


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

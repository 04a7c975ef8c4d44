"""Functions and modules that Triton's front end requires from a back end: dots, conversions, device modules."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

from blockdsl.errors import printable


def implementation(options: Any) -> dict[str, Any]:
    """Returns the functions that the front end calls while it translates a kernel."""
    del options
    _escape_names_of_files()
    from triton.language.extra.cuda.utils import convert_custom_float8_sm80

    return {"min_dot_size": lambda lhs, rhs: (1, 1, 1), "convert_custom_types": convert_custom_float8_sm80}


@functools.cache
def _escape_names_of_files() -> None:
    """Makes Triton's front end accept kernels in files whose names are not valid UTF-8."""
    from triton.compiler.code_generator import CodeGenerator

    make = CodeGenerator.__init__

    @functools.wraps(make)
    def made(self: Any, *args: Any, file_name: str | None = None, **kwargs: Any) -> None:
        make(self, *args, file_name=None if file_name is None else printable(file_name), **kwargs)

    CodeGenerator.__init__ = made


def module_map() -> dict[str, ModuleType]:
    """Returns the modules that replace Triton's: names of Triton's modules are looked up in them."""
    from triton.language.extra.cuda import libdevice

    from blockdsl.triton import cuda_language

    return {
        "triton.language.extra.libdevice": libdevice,
        "triton.language.extra.cuda": cuda_language,
        "triton.language.extra.cuda.gdc": cuda_language,
        "triton.language.extra.cuda.utils": cuda_language,
    }

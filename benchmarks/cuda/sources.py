"""Loading of kernels.py, a Triton program, for a compiler. For blockdsl ``triton`` is replaced during the import."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import blockdsl
import blockdsl.language

OURS, TRITON = "blockdsl", "triton"

_SOURCE = Path(__file__).with_name("kernels.py")


@contextmanager
def _named(modules: Mapping[str, ModuleType]) -> Iterator[None]:
    replaced = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in replaced.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def load(compiler: str) -> ModuleType:
    """Returns the module of kernels for ``compiler``."""
    name = f"{__package__}.kernels_for_{compiler}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, _SOURCE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    stand_ins = {"triton": blockdsl, "triton.language": blockdsl.language} if compiler == OURS else {}
    with _named(stand_ins):
        spec.loader.exec_module(module)
    sys.modules[name] = module
    return module

"""Kernels in files, and with caches and dumps in directories, whose names are not UTF-8: prints the failures."""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import Any

HERE = os.path.join(os.fsencode(sys.argv[1]), b"caf\xe9")
for name in ("CACHE_DIR", "DUMP_DIR"):
    os.environb[f"BLOCKDSL_{name}".encode()] = os.path.join(HERE, name.encode())
os.environ["BLOCKDSL_DUMP"] = "all"
os.environ["TMPDIR"] = os.fsdecode(HERE)

SOURCE = """# caf\u00e9
import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def add(x, y, B: tl.constexpr):
    at = tl.arange(0, B)
    tl.store(x + at, tl.load(x + at) + tl.load(y + at))


@blockdsl.jit
def wrong(x):
    tl.store(x, tl.arange(0, 4) + tl.arange(0, 8))  # caf\u00e9


@blockdsl.jit
def checked(x, y):
    tl.device_assert(tl.load(x) > 100.0, "too small")


FILE = tl.constexpr(__file__)


@blockdsl.jit
def asserts(x):
    tl.device_assert(tl.load(x) > 100.0, FILE)


tuned = blockdsl.autotune([blockdsl.Config({"B": 8}), blockdsl.Config({"B": 4})], key=[])(add)
"""
os.makedirs(HERE)
with open(os.path.join(HERE, b"kernels.py"), "w", encoding="utf-8") as file:
    file.write(SOURCE)
sys.path.insert(0, os.fsdecode(HERE))

import kernels  # noqa: E402
import numpy as np  # noqa: E402

import blockdsl  # noqa: E402
from blockdsl import errors  # noqa: E402


def x() -> Any:
    return np.ones(8, np.float32)


def launches() -> None:
    for _ in range(2):
        out = x()
        kernels.add[(1,)](out, x(), B=8)
        assert (out == 2).all()
        made = kernels.add[(1,)](out, x(), B=8)
        assert IS_INTERPRETED or all(made.asm.values())
    out = x()
    kernels.tuned[(1,)](out, x())


def is_placed(function: Callable[[], object], kind: type[BaseException], *parts: str) -> None:
    try:
        function()
    except kind as error:
        text = str(error)
        text.encode()
        assert all(part in text for part in parts), text
    else:
        raise AssertionError("no error")


def errors_have_places() -> None:
    is_placed(lambda: kernels.wrong[(1,)](x()), errors.KernelError, "caf\\xe9/kernels.py:14:", "# caf\u00e9", "^^^")
    is_placed(lambda: kernels.add[(1,)](x(), x()), errors.BlockdslError, "B")
    is_placed(lambda: kernels.add[(1,)](object(), x(), B=8), errors.BlockdslError)
    is_placed(lambda: kernels.checked[(1,)](x(), x()), RuntimeError, "too small", "caf\\xe9/kernels.py:19:")


def files_of_text() -> None:
    path = os.path.join(HERE, b"CACHE_DIR", b"..", b"add.ttir")
    signature = {"x": "*fp32", "y": "*fp32"}
    made = blockdsl.compile(kernels.add, signature=signature, constexprs={"B": 8})
    with open(path, "w", encoding="utf-8") as file:
        file.write(made.asm["ttir"])
    out = x()
    blockdsl.compile(os.fsdecode(path))[(1,)](out, x())
    assert (out == 2).all()
    with open(path, "w", encoding="utf-8") as file:
        file.write("no module")
    is_placed(lambda: blockdsl.compile(os.fsdecode(path)), errors.BlockdslError, "caf\\xe9")
    blockdsl.compile(kernels.add, signature=signature, constexprs={"B": 8}, output=os.fsdecode(HERE) + "/add.o")


def overrides() -> None:
    os.environb[b"BLOCKDSL_OVERRIDE_DIR"] = os.path.join(HERE, b"DUMP_DIR")
    out = x()
    kernels.add[(1,)](out, x(), B=8)
    assert (out == 2).all()
    del os.environb[b"BLOCKDSL_OVERRIDE_DIR"]


def names() -> None:
    assert kernels.add.file_name == kernels.add.fn.__code__.co_filename
    is_placed(lambda: kernels.asserts[(1,)](x()), RuntimeError)


warnings.simplefilter("error")
IS_INTERPRETED = blockdsl.knobs.INTERPRET.get()
for case in (launches, errors_have_places, names, *(files_of_text, overrides) * (not IS_INTERPRETED)):
    try:
        case()
    except Exception:
        print(case.__name__, ascii(traceback.format_exc(limit=-6)).replace("\\n", "\n"))

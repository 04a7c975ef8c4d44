"""Sorts by blockdsl and by stock Triton. As a program it writes the results of Triton's interpreter."""

from __future__ import annotations

import os
import sys
import zlib
from typing import Any

if __name__ == "__main__":
    os.environ["TRITON_INTERPRET"] = "1"
    import triton
    import triton.language as tl
else:
    import blockdsl as triton
    import blockdsl.language as tl

import numpy as np
import torch


@triton.jit
def sort(out_ptr, x_ptr, ROWS: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DOWN: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.sort(tl.load(x_ptr + at), descending=DOWN))


@triton.jit
def sort_row(out_ptr, x_ptr, ROWS: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DOWN: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.sort(tl.load(x_ptr + at), 0, DOWN))


@triton.jit
def sort_cube(out_ptr, x_ptr, ROWS: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DOWN: tl.constexpr):
    at = tl.arange(0, ROWS * N)
    x = tl.reshape(tl.load(x_ptr + at), (2, ROWS // 2, N))
    tl.store(out_ptr + at, tl.reshape(tl.sort(x, 2, DOWN), (ROWS * N,)))


@triton.jit
def merge(out_ptr, x_ptr, ROWS: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DOWN: tl.constexpr):
    at = tl.arange(0, ROWS)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out_ptr + at, tl.bitonic_merge(tl.load(x_ptr + at), descending=DOWN))


@triton.jit
def topk(out_ptr, x_ptr, ROWS: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DOWN: tl.constexpr):
    row = tl.arange(0, ROWS)[:, None]
    best = tl.topk(tl.load(x_ptr + row * N + tl.arange(0, N)[None, :]), K, descending=DOWN)
    tl.store(out_ptr + row * K + tl.arange(0, K)[None, :], best)


@triton.jit
def topk_row(out_ptr, x_ptr, ROWS: tl.constexpr, N: tl.constexpr, K: tl.constexpr, DOWN: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, K), tl.topk(tl.load(x_ptr + tl.arange(0, N)), K, 0, descending=DOWN))


NAMES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
         "float64")  # fmt: skip

CASES: dict[str, tuple[Any, str, str, int, int, int, bool]] = {}
"""Cases by name: a kernel, the type, the kind of values, rows, columns, the number of results, and the order."""


def _case(kernel: Any, kind: str, values: str, rows: int, n: int, k: int, down: bool) -> None:
    shape = f"{rows}x{n}" + f"-{k}" * (k != n)
    name = f"{kernel.__name__}-{kind}-{values}-{shape}-{'down' if down else 'up'}"
    CASES[name] = kernel, kind, values, rows, n, k, down


for _index, _kind in enumerate(NAMES):
    _down = _index % 2 == 0
    _case(sort, _kind, "any", 2, 32, 32, _down)
    _case(merge, _kind, "any", 2, 8, 8, _down)
    _case(topk, _kind, "any", 2, 32, 4, not _down)
for _down in (False, True):
    for _kind in ("float16", "float32", "float64"):
        for _rows, _n in ((4, 16), (2, 64), (32, 8)):
            _case(sort, _kind, "special", _rows, _n, _n, _down)
            _case(merge, _kind, "special", _rows, _n, _n, not _down)
            _case(topk, _kind, "special", _rows, _n, _n // 2, _down)
    for _n in (1, 2, 4, 16, 128):
        _case(sort_row, "float32", "special", 1, _n, _n, _down)
    for _n, _k in ((2, 1), (64, 1), (64, 32), (64, 64), (128, 8)):
        _case(topk_row, "int16", "any", 1, _n, _k, _down)
    _case(sort_cube, "int32", "any", 8, 16, 16, _down)


def values(kind: str, which: str, count: int) -> Any:
    """Reproducible values: any of the type, or few different ones, with zeros of both signs, infinities and NaN."""
    choose = np.random.default_rng(zlib.crc32(f"{kind} {which} {count}".encode()))
    if which == "special":
        few = [0.0, -0.0, 1.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan, -3.0, 7.0, 8.0]
        return choose.choice(few, count).astype(kind)
    if kind == "bool":
        return choose.random(count) > 0.5
    if kind.startswith("float"):
        return choose.normal(size=count).astype(kind)
    bounds = np.iinfo(kind)
    drawn = choose.integers(bounds.min, bounds.max, count, kind, endpoint=True)
    drawn[: min(count, 2)] = [bounds.min, bounds.max][: min(count, 2)]
    return drawn


def result(name: str, run: Any) -> torch.Tensor:
    """Returns the results of a case, with a given function that runs kernels."""
    kernel, kind, which, rows, n, k, down = CASES[name]
    x = torch.from_numpy(values(kind, which, rows * n))
    out = torch.zeros(rows * k, dtype=x.dtype)
    run(kernel, (1,), out, x, ROWS=rows, N=n, K=k, DOWN=down)
    return out


def launch(kernel: Any, grid: Any, *args: Any, **constants: Any) -> None:
    kernel[grid](*args, **constants)


if __name__ == "__main__":
    np.savez(sys.argv[1], **{name: result(name, launch).numpy() for name in CASES})

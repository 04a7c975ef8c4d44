"""Random numbers by blockdsl and by stock Triton. As a program it writes the results of Triton's interpreter."""

from __future__ import annotations

import os
import sys
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

N = 64
OFFSETS = {
    "int32": [0, 1, -1, 2**31 - 1, -(2**31)],
    "uint32": [0, 1, 2**31, 2**32 - 1],
    "int64": [0, 1, -1, 2**32, 2**63 - 1, -(2**63), 123456789012345],
    "int16": [0, 1, -1, 2**15 - 1],
}
SEEDS = [1234, -1, 2**31, 2**40 + 7, -(2**63), 2**64 - 1]


@triton.jit
def words(out_ptr, offset_ptr, seed, ROUNDS: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    offsets = tl.load(offset_ptr + at)
    a, b, c, d = tl.randint4x(seed, offsets, ROUNDS)
    tl.store(out_ptr + at, a)
    tl.store(out_ptr + N + at, b)
    tl.store(out_ptr + 2 * N + at, c)
    tl.store(out_ptr + 3 * N + at, d)
    tl.store(out_ptr + 4 * N + at, tl.randint(seed, offsets, n_rounds=ROUNDS))
    tl.store(out_ptr + 5 * N, tl.randint(seed, tl.load(offset_ptr)))


@triton.jit
def wide_words(out_ptr, offset_ptr, seed, ROUNDS: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    offsets = tl.load(offset_ptr + at)
    a, b, c, d = tl.philox(seed, offsets, offsets + 1, offsets * 3, ~offsets, ROUNDS)
    tl.store(out_ptr + at, a)
    tl.store(out_ptr + N + at, b)
    tl.store(out_ptr + 2 * N + at, c)
    tl.store(out_ptr + 3 * N + at, d)


@triton.jit
def even(out_ptr, offset_ptr, seed, ROUNDS: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    offsets = tl.load(offset_ptr + at)
    a, b, c, d = tl.rand4x(seed, offsets, ROUNDS)
    tl.store(out_ptr + at, a)
    tl.store(out_ptr + N + at, b)
    tl.store(out_ptr + 2 * N + at, c)
    tl.store(out_ptr + 3 * N + at, d)
    tl.store(out_ptr + 4 * N + at, tl.rand(seed, offsets, ROUNDS))


@triton.jit
def normal(out_ptr, offset_ptr, seed, ROUNDS: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    offsets = tl.load(offset_ptr + at)
    a, b, c, d = tl.randn4x(seed, offsets, ROUNDS)
    tl.store(out_ptr + at, a)
    tl.store(out_ptr + N + at, b)
    tl.store(out_ptr + 2 * N + at, c)
    tl.store(out_ptr + 3 * N + at, d)
    tl.store(out_ptr + 4 * N + at, tl.randn(seed, offsets, ROUNDS))


@triton.jit
def uniform(out_ptr, word_ptr, seed, ROUNDS: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.random.uint_to_uniform_float(tl.load(word_ptr + at)))


def offsets(kind: str) -> torch.Tensor:
    """Offsets at the ends of a type, and a range from zero."""
    values = OFFSETS[kind]
    return torch.from_numpy(np.array([*values, *range(N - len(values))], kind))


CASES: dict[str, tuple[Any, str, int, int]] = {}
"""Cases by name: a kernel, the type of its offsets, a seed, and the number of rounds."""
for _kind in OFFSETS:
    for _index, _seed in enumerate(SEEDS):
        CASES[f"words-{_kind}-{_seed}"] = words, _kind, _seed, (10, 7, 1)[_index % 3]
        CASES[f"even-{_kind}-{_seed}"] = even, _kind, _seed, (10, 6)[_index % 2]
for _kind in ("int32", "uint32", "int64"):
    for _seed in SEEDS:
        CASES[f"philox-{_kind}-{_seed}"] = wide_words, _kind, _seed, 10
    CASES[f"uniform-{_kind}"] = uniform, _kind, 0, 10
CASES["normal-int32-1234"] = normal, "int32", 1234, 10
CASES["normal-int64-7"] = normal, "int64", 7, 7


def result(name: str, run: Any) -> torch.Tensor:
    """Returns the results of a case, with a given function that runs kernels."""
    kernel, kind, seed, rounds = CASES[name]
    wide = kernel is wide_words and kind == "int64"
    floats = kernel in (even, normal, uniform)
    dtype = torch.float32 if floats else torch.uint64 if wide else torch.uint32
    out = torch.zeros(6 * N, dtype=dtype)
    run(kernel, (1,), out, offsets(kind), seed, ROUNDS=rounds, N=N)
    return out


def launch(kernel: Any, grid: Any, *args: Any, **constants: Any) -> None:
    kernel[grid](*args, **constants)


if __name__ == "__main__":
    np.savez(sys.argv[1], **{name: result(name, launch).numpy() for name in CASES})

"""Tests of launches that would access memory outside of an argument: they are refused, and no others."""

from __future__ import annotations

import array
import math
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime
from blockdsl.errors import LaunchError
from blockdsl.tools.tensor_descriptor import TensorDescriptor


@blockdsl.jit
def masked(out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, 1.0, mask=at < n)


@blockdsl.jit
def unmasked(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) + 1)


@blockdsl.jit
def scalar(out, at):
    tl.store(out + at, 1.0)


@blockdsl.jit
def wide(out, at: tl.int64):
    tl.store(out + at, 1.0)


@blockdsl.jit
def tile(out, stride, rows, columns, R: tl.constexpr, C: tl.constexpr):
    row = tl.program_id(1) * R + tl.arange(0, R)[:, None]
    column = tl.program_id(0) * C + tl.arange(0, C)[None, :]
    tl.store(out + row * stride + column, 1.0, mask=(row < rows) & (column < columns))


@blockdsl.jit
def looped(x, out, n, B: tl.constexpr):
    total = 0.0
    for k in range(0, n, B):
        lane = tl.arange(0, B)
        total += tl.sum(tl.load(x + k + lane, mask=lane < n - k, other=0.0))
    tl.store(out, total)


@blockdsl.jit
def stepping(x, out, n, stride, B: tl.constexpr):
    at = x + tl.arange(0, B)
    total = tl.zeros((B,), tl.float32)
    for _ in range(n):
        total += tl.load(at)
        at += stride
    tl.store(out + tl.arange(0, B), total)


@blockdsl.jit
def striding(out, n, B: tl.constexpr):
    for k in range(tl.program_id(0) * B, n, tl.num_programs(0) * B):
        at = k + tl.arange(0, B)
        tl.store(out + at, 1.0, mask=at < n)


@blockdsl.jit
def persistent(out, rows, columns, B: tl.constexpr):
    tiles_of_row = tl.cdiv(columns, B)
    for k in range(tl.program_id(0), tl.cdiv(rows, B) * tiles_of_row, tl.num_programs(0)):
        row = k // tiles_of_row * B + tl.arange(0, B)[:, None]
        column = k % tiles_of_row * B + tl.arange(0, B)[None, :]
        tl.store(out + row * columns + column, 1.0, mask=(row < rows) & (column < columns))


@blockdsl.jit
def branching(out, n, limit):
    if n < limit:
        tl.store(out + n, 1.0)
    else:
        tl.store(out, 2.0)


@blockdsl.jit
def returning(out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0)
    if at >= n:
        return
    tl.store(out + at * BLOCK + tl.arange(0, BLOCK), 1.0)


@blockdsl.jit
def gathered(x, index, out, n, B: tl.constexpr):
    lane = tl.arange(0, B)
    where = tl.load(index + lane, mask=lane < n, other=0)
    tl.store(out + lane, tl.load(x + where), mask=lane < n)


@blockdsl.jit
def flat(out, columns, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    row, column = pid // columns, pid % columns
    tl.store(out + (row * columns + column) * BLOCK + tl.arange(0, BLOCK), 1.0)


@blockdsl.jit
def wrapping(x, out, n, BLOCK: tl.constexpr):
    at = (tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)) % n
    tl.store(out + tl.arange(0, BLOCK), tl.load(x + at))


@blockdsl.jit
def counting(out, n):
    tl.atomic_add(out + n, 1)


@blockdsl.jit
def described(desc, at):
    block = desc.load([at, 0])
    desc.store([at, 0], block + 1)


@blockdsl.jit
def describing(x, rows, at, R: tl.constexpr, C: tl.constexpr):
    desc = tl.make_tensor_descriptor(x, [rows, C], [C, 1], [R, C])
    desc.store([at, 0], tl.full((R, C), 1.0, tl.float32))


@blockdsl.jit
def windowed(x, rows, at, R: tl.constexpr, C: tl.constexpr):
    block = tl.make_block_ptr(x, (rows, C), (C, 1), (at, 0), (R, C), (1, 0))
    tl.store(block, tl.full((R, C), 1.0, tl.float32), boundary_check=(0,))


@blockdsl.jit
def of_rank(out, RANK: tl.constexpr):
    at = tl.arange(0, 2)
    for _ in tl.static_range(RANK - 1):
        at = tl.expand_dims(at, 0)
    tl.store(out + at, 1.0)


@blockdsl.jit
def asserting(out, n):
    tl.device_assert(n < 10, "too large")
    tl.store(out + n, 1.0)


def zeros(*shape: int) -> torch.Tensor:
    """Zeros at the end of their storage, in memory that a valid launch does not leave."""
    elements = math.prod(shape)
    if elements == 0:
        return torch.zeros(shape)
    around = 20000
    memory = bytearray(4 * (elements + 2 * around))
    return torch.frombuffer(memory, dtype=torch.float32, count=elements, offset=4 * around).view(shape)


Case = tuple[Callable[[], object], str]

REFUSED: list[Case] = [
    (lambda: masked[(1,)](zeros(10), 64, BLOCK=64),
     "kernel 'masked' stores to element 63 of argument 'out', which has 10 elements"),
    (lambda: masked[(4,)](zeros(99), 100, BLOCK=32), "stores to element 99 of argument 'out', which has 99 elements"),
    (lambda: masked[lambda meta: (blockdsl.cdiv(100, meta["BLOCK"]),)](zeros(99), 100, BLOCK=32), "element 99"),
    (lambda: masked[(1,)](zeros(0), 1, BLOCK=64), "element 0 of argument 'out', which has 0 elements"),
    (lambda: masked[(1,)](zeros(1), 1 << 20, BLOCK=2), "element 1 of argument 'out', which has 1 element"),
    (lambda: unmasked[(1,)](zeros(1024), zeros(1000), BLOCK=1024),
     "stores to element 1023 of argument 'out', which has 1000"),
    (lambda: unmasked[(1,)](zeros(1000), zeros(1024), BLOCK=1024),
     "loads element 1023 of argument 'x', which has 1000 elements"),
    (lambda: unmasked[(1 << 20,)](zeros(1 << 20), zeros(1 << 20), BLOCK=1024), "loads element 1073741823"),
    (lambda: scalar[(1,)](zeros(64), 2**30), "stores to element 1073741824"),
    (lambda: scalar[(1,)](zeros(64), -1), "stores to element -1 of argument 'out', which has 64 elements"),
    (lambda: wide[(1,)](zeros(64), 2**40), "stores to element 1099511627776"),
    (lambda: tile[(2, 2)](zeros(30, 40), 40, 31, 40, R=16, C=32), "stores to element 1239"),
    (lambda: tile[(2, 2)](zeros(30, 40), 41, 30, 40, R=16, C=32), "stores to element 1228"),
    (lambda: tile[(2, 2)](zeros(30, 40), -40, 30, 40, R=16, C=32), "stores to element -1160"),
    (lambda: looped[(1,)](zeros(99), zeros(1), 100, B=32), "loads element 99 of argument 'x', which has 99"),
    (lambda: stepping[(1,)](zeros(159), zeros(32), 4, 64, B=32), "loads element 223 of argument 'x'"),
    (lambda: stepping[(1,)](zeros(160), zeros(32), 4, -1, B=32), "loads element -3 of argument 'x'"),
    (lambda: branching[(1,)](zeros(8), 8, 9), "stores to element 8"),
    (lambda: returning[(9,)](zeros(64), 5, BLOCK=16), "stores to element 79"),
    (lambda: gathered[(1,)](zeros(9), torch.zeros(9, dtype=torch.int64), zeros(9), 10, B=16),
     "loads element 9 of argument 'index', which has 9"),
    (lambda: flat[(7,)](zeros(6 * 16), 3, BLOCK=16), "stores to element 111"),
    (lambda: wrapping[(4,)](zeros(90), zeros(32), 100, BLOCK=32), "loads element 99 of argument 'x'"),
    (lambda: counting[(1,)](torch.zeros(3, dtype=torch.int32), 3), "updates element 3"),
    (lambda: masked[(1,)](np.zeros(10, np.float32), 11, BLOCK=16), "element 10 of argument 'out', which has 10"),
    (lambda: masked[(1,)](array.array("f", [0.0] * 10), 11, BLOCK=16), "element 10 of argument 'out', which has 10"),
    (lambda: described[(1,)](TensorDescriptor(zeros(8, 16), [9, 16], [16, 1], [4, 16]), 7),
     "loads element 143 of argument 'desc', which has 128 elements"),
    (lambda: describing[(1,)](zeros(8, 16), 9, 5, R=4, C=16), "stores to element 143 of argument 'x'"),
    (lambda: windowed[(1,)](zeros(8, 16), 9, 5, R=4, C=16), "stores to element 143 of argument 'x'"),
    (lambda: windowed[(1,)](zeros(8, 16), 8, -1, R=4, C=16) and scalar[(1,)](zeros(1), 1), "element 1"),
]  # fmt: skip


@pytest.mark.parametrize("programs", [1, 2, 3, 5, 7, 11, 40])
def test_loop_over_the_grid_is_checked_to_its_end(programs: int) -> None:
    for n in (1, 63, 64, 65, 300, 1000):
        striding[(programs,)](zeros(n), n, B=64)
        with pytest.raises(LaunchError, match=f"stores to element {n - 1} of argument 'out'"):
            striding[(programs,)](zeros(n - 1), n, B=64)
    for rows, columns in ((20, 20), (33, 50), (64, 17)):
        persistent[(programs,)](zeros(rows, columns), rows, columns, B=16)
        with pytest.raises(LaunchError, match=f"stores to element {rows * columns - 1} of argument 'out'"):
            persistent[(programs,)](zeros(rows * columns - 1), rows, columns, B=16)


@pytest.mark.parametrize(("launch", "message"), REFUSED, ids=range(len(REFUSED)))
def test_wrong_accesses_are_refused(launch: Callable[[], object], message: str) -> None:
    with pytest.raises(LaunchError) as caught:
        launch()
    assert message in caught.value.message


def test_refused_launch_runs_nothing() -> None:
    out = zeros(100)
    with pytest.raises(LaunchError):
        masked[(4,)](out, 101, BLOCK=32)
    assert not out.any()


def test_error_has_location_and_hint() -> None:
    with pytest.raises(LaunchError) as caught:
        masked[(2,)](zeros(40), 60, BLOCK=32)
    text = str(caught.value)
    assert "test_wrong_accesses.py" in text
    assert "tl.store(out + at, 1.0, mask=at < n)\n      ^" in text
    assert "hint: program (1, 0, 0) does so at [27] of its block, with n=60; pass numbers" in text
    with pytest.raises(LaunchError, match=r"give the access a mask, such as mask=offsets < n"):
        unmasked[(1,)](zeros(64), zeros(40), BLOCK=64)


def right(*launches: Callable[[], object]) -> None:
    for launch in launches:
        launch()


def test_in_bounds_accesses_run() -> None:
    ones = torch.zeros(9, dtype=torch.int64)
    right(
        lambda: masked[(4,)](zeros(100), 100, BLOCK=32),
        lambda: masked[(4,)](zeros(100), 0, BLOCK=32),
        lambda: masked[(4,)](zeros(100), -5, BLOCK=32),
        lambda: masked[(0,)](zeros(1), 100, BLOCK=32),
        lambda: masked[(1,)](zeros(0), 0, BLOCK=32),
        lambda: tile[(2, 2)](zeros(30, 40), 40, 30, 40, R=16, C=32),
        lambda: tile[(2, 2)](zeros(1), 40, 0, 40, R=16, C=32),
        lambda: tile[(2, 2)](zeros(16, 40), 40, 31, 0, R=16, C=32),
        lambda: looped[(1,)](zeros(100), zeros(1), 100, B=32),
        lambda: looped[(1,)](zeros(0), zeros(1), 0, B=32),
        lambda: stepping[(1,)](zeros(224), zeros(32), 4, 64, B=32),
        lambda: stepping[(1,)](zeros(0), zeros(32), 0, 64, B=32),
        lambda: branching[(1,)](zeros(8), 8, 8),
        lambda: returning[(9,)](zeros(80), 5, BLOCK=16),
        lambda: gathered[(1,)](zeros(1), ones, zeros(9), 9, B=16),
        lambda: flat[(6,)](zeros(6 * 16), 3, BLOCK=16),
        lambda: wrapping[(4,)](zeros(100), zeros(32), 100, BLOCK=32),
        lambda: described[(1,)](TensorDescriptor(zeros(8, 16), [8, 16], [16, 1], [4, 16]), 7),
        lambda: described[(1,)](TensorDescriptor(zeros(8, 16), [8, 16], [16, 1], [4, 16]), -3),
        lambda: describing[(1,)](zeros(8, 16), 8, 7, R=4, C=16),
        lambda: windowed[(1,)](zeros(8, 16), 8, 7, R=4, C=16),
    )


@pytest.mark.filterwarnings("ignore::blockdsl.errors.LaunchWarning")
def test_bounds_are_those_of_the_storage() -> None:
    whole = zeros(100)
    masked[(1,)](whole[20:30], 80, BLOCK=128)
    assert whole.sum() == 80
    scalar[(1,)](whole[20:30], -20)
    assert whole[0] == 1
    for at, message in ((80, r"element 80 .* 10 elements in a storage of elements -20 to 79"), (-21, "element -21")):
        with pytest.raises(LaunchError, match=message):
            scalar[(1,)](whole[20:30], at)
    part = np.zeros((10, 10), np.float32)[3:5, :5]
    scalar[(1,)](part, 69)
    with pytest.raises(LaunchError, match=r"element 70 .* in a storage of elements -30 to 69"):
        scalar[(1,)](part, 70)
    with pytest.raises(LaunchError, match="element 100"):
        scalar[(1,)](whole.numpy()[:3], 100)


def test_memory_of_unknown_size_is_not_refused() -> None:
    mapped = np.frombuffer((np.ctypeslib.ctypes.c_float * 100)(), np.float32)
    scalar[(1,)](mapped[:10], 50)
    assert mapped[50] == 1


def test_wrapped_offsets_are_inconclusive() -> None:
    # 2**20 * 4096 is 0 in 32 bits: the kernel stores to element 0.
    @blockdsl.jit
    def scaled(out, factor, by):
        tl.store(out + factor * by, 1.0)

    out = zeros(4)
    scaled[(1,)](out, 1 << 20, 4096)
    assert out[0] == 1


def test_failed_assertion_is_reported_as_assertion() -> None:
    out = zeros(100)
    with pytest.raises(blockdsl.errors.KernelAssertionError, match="too large"):
        asserting[(1,)](out[:10], 20)


def test_repeated_launch_is_not_rechecked() -> None:
    out, other = zeros(100), zeros(100)
    masked[(4,)](out, 100, BLOCK=32)

    def counted(launch: Callable[[], object]) -> tuple[int, int]:
        before = _runtime.count_checked_launches()
        launch()
        after = _runtime.count_checked_launches()
        return after[0] - before[0], after[1] - before[1]

    assert counted(lambda: masked[(4,)](out, 100, BLOCK=32)) == (0, 1)
    assert counted(lambda: masked[(4,)](other, 100, BLOCK=32)) == (0, 1)
    assert counted(lambda: masked[(4,)](out, 99, BLOCK=32)) == (1, 0)
    assert counted(lambda: masked[(3,)](out, 99, BLOCK=32)) == (1, 0)
    assert counted(lambda: masked[(3,)](out[:99], 99, BLOCK=32)) == (1, 0)
    view = out[:40]
    assert counted(lambda: masked[(3,)](view, 99, BLOCK=32)) == (1, 0)
    assert counted(lambda: masked[(3,)](view, 99, BLOCK=32)) == (0, 1)
    # With as many elements, but a smaller storage.
    smaller = zeros(40)
    with pytest.raises(LaunchError):
        masked[(3,)](smaller, 99, BLOCK=32)
    with pytest.raises(LaunchError):
        masked[(3,)](smaller, 99, BLOCK=32)


PROGRAM = """
import sys, torch, blockdsl, blockdsl.language as tl
from blockdsl.errors import LaunchError

@blockdsl.jit
def kept(out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, 1.0, mask=at < n)

try:
    kept[(1,)](torch.zeros(10), 20, BLOCK=32)
except LaunchError as error:
    print(str(error))
"""


@pytest.mark.without_sanitizers("the disk cache is off there")
@pytest.mark.parametrize("mode", ["thread", "process"])
def test_kernels_of_the_disk_cache_are_checked(tmp_path: Path, mode: str) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    def said() -> str:
        settings = {"BLOCKDSL_CACHE_DIR": str(tmp_path / "cache"), "BLOCKDSL_COMPILE": mode}
        done = subprocess.run([sys.executable, str(program)], env={**os.environ, **settings}, check=True,
                              capture_output=True, text=True)  # fmt: skip
        return done.stdout

    first, second = said(), said()
    assert first == second
    assert "stores to element 19 of argument 'out', which has 10 elements" in first
    assert "program.py:8:5, in kept" in first
    assert list((tmp_path / "cache").rglob("*"))


def test_damaged_formulas_are_refused() -> None:
    masked[(1,)](zeros(32), 32, BLOCK=32)
    compiled: Any = masked[(1,)](zeros(32), 32, BLOCK=32)
    code = list(compiled.metadata["accesses"])
    arguments = (compiled.kernel, compiled.name, [(0, "n"), (1, "n")], [0], 0)
    _runtime.Kernel(*arguments, "", code)
    for length in range(1, len(code)):
        with pytest.raises(ValueError, match="accesses are no formulas of this version"):
            _runtime.Kernel(*arguments, "", code[:length])
    for at in range(len(code)):
        for value in (-1, 1 << 40, -(1 << 63), (1 << 63) - 1, 77):
            # The result may be another valid formula; the only requirement is that nothing crashes.
            with suppress(ValueError):
                _runtime.Kernel(*arguments, "", [*code[:at], value, *code[at + 1 :]])
    with pytest.raises(TypeError):
        _runtime.Kernel(*arguments, "", ["text"])
    assert _runtime.is_access_code(code, 2)
    assert _runtime.is_access_code([], 0)
    assert not any(_runtime.is_access_code(bad, 2) for bad in (code[:-1], [*code, 0], ["text"], [1 << 64]))
    assert not _runtime.is_access_code(code, 1)


@pytest.mark.parametrize("rank", [8, 9, 16, 17])
def test_blocks_of_many_dimensions(rank: int) -> None:
    out = zeros(2)
    of_rank[(1,)](out, rank)
    assert out.tolist() == [1, 1]
    if rank <= 16:
        with pytest.raises(LaunchError, match=r"stores to element 1 of argument 'out', which has 1 element") as error:
            of_rank[(1,)](zeros(1), rank)
        assert f"at [{'0, ' * (rank - 1)}1] of its block" in str(error.value)

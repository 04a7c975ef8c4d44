"""Tests of ``device_print``, compiled and interpreted: the format of Triton's back ends for GPUs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.interpreted import InterpretedFunction

pytestmark = pytest.mark.cpu_only


@pytest.fixture
def printed(capfd: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """Returns the lines of a launch, which have to be the same compiled and interpreted."""

    def lines(kernel: Any, *args: Any, grid: tuple[int, ...] = (1,), **kwargs: Any) -> list[str]:
        capfd.readouterr()
        kernel[grid](*args, **kwargs)
        compiled = capfd.readouterr().out.splitlines()
        InterpretedFunction(kernel.fn)[grid](*args, **kwargs)
        interpreted = capfd.readouterr().out.splitlines()
        assert sorted(compiled) == sorted(interpreted)
        return compiled

    return lines


@blockdsl.jit
def elements(x_ptr, HEX: tl.constexpr, N: tl.constexpr):
    tl.device_print("x", tl.load(x_ptr + tl.arange(0, N)), hex=HEX)


@blockdsl.jit
def small_floats(x_ptr, HEX: tl.constexpr, KIND: tl.constexpr):
    tl.device_print("x", tl.load(x_ptr + tl.arange(0, 4)).to(KIND), hex=HEX)


INTEGERS = [torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64]
FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


def values(kind: torch.dtype) -> torch.Tensor:
    if kind.is_floating_point:
        infinity, nan = float("inf"), float("nan")
        return torch.tensor([1.5, -0.0, 1e-3, infinity, -infinity, nan, -nan, 65504.0]).to(kind)
    info = torch.iinfo(kind)
    return torch.from_numpy(np.array([0, 1, 7, 100, info.max, info.min, info.max - 1, 42], dtype=str(kind)[6:]))


@pytest.mark.parametrize("kind", INTEGERS, ids=str)
def test_integers(printed: Callable[..., list[str]], kind: torch.dtype) -> None:
    x = values(kind)
    expected = [f"pid (0, 0, 0) idx ({at}) x: {value}" for at, value in enumerate(x.tolist())]
    assert printed(elements, x, HEX=False, N=8) == expected


@pytest.mark.parametrize("kind", INTEGERS, ids=str)
def test_integers_in_hexadecimal(printed: Callable[..., list[str]], kind: torch.dtype) -> None:
    x, bits = values(kind), torch.iinfo(kind).bits
    expected = [f"pid (0, 0, 0) idx ({at}) x: 0x{value % 2**bits:0{bits // 4}x}" for at, value in enumerate(x.tolist())]
    assert printed(elements, x, HEX=True, N=8) == expected


@pytest.mark.parametrize("kind", FLOATS, ids=str)
def test_floats(printed: Callable[..., list[str]], kind: torch.dtype) -> None:
    lines = printed(elements, values(kind), HEX=False, N=8)
    thousandth = float(torch.tensor(1e-3).to(kind))
    large = float(torch.tensor(65504.0).to(kind))
    assert [line.removeprefix(f"pid (0, 0, 0) idx ({at}) x: ") for at, line in enumerate(lines)] == [
        "1.500000", "-0.000000", f"{thousandth:.6f}", "inf", "-inf", "nan", "nan", f"{large:.6f}"
    ]  # fmt: skip


def test_floats_of_many_digits(printed: Callable[..., list[str]]) -> None:
    x = torch.tensor([1e300, -1.7976931348623157e308], dtype=torch.float64)
    lines = printed(elements, x, HEX=False, N=2)
    assert lines == [f"pid (0, 0, 0) idx ({at}) x: {value:.6f}" for at, value in enumerate(x.tolist())]


@pytest.mark.parametrize("kind", FLOATS, ids=str)
def test_floats_in_hexadecimal(printed: Callable[..., list[str]], kind: torch.dtype) -> None:
    x = values(kind)[:5]
    x = torch.cat([x, torch.ones(3, dtype=kind)])
    bits = torch.finfo(kind).bits
    words = x.view({16: torch.int16, 32: torch.int32, 64: torch.int64}[bits]).tolist()
    expected = [f"pid (0, 0, 0) idx ({at}) x: 0x{word % 2**bits:0{bits // 4}x}" for at, word in enumerate(words)]
    assert printed(elements, x, HEX=True, N=8) == expected


@pytest.mark.parametrize("kind", [tl.float8e5, tl.float8e4nv], ids=str)
def test_small_floats(printed: Callable[..., list[str]], kind: Any) -> None:
    x = torch.tensor([1.0, -2.0, 0.5, 0.0])
    lines = printed(small_floats, x, HEX=False, KIND=kind)
    assert [line[-9:].strip() for line in lines] == ["1.000000", "-2.000000", "0.500000", "0.000000"]
    digits = [line.rpartition(" ")[2] for line in printed(small_floats, x, HEX=True, KIND=kind)]
    assert digits == (["0x3c", "0xc0", "0x38", "0x00"] if kind == tl.float8e5 else ["0x38", "0xc0", "0x30", "0x00"])


@blockdsl.jit
def bools(x_ptr):
    tl.device_print("positive", tl.load(x_ptr + tl.arange(0, 4)) > 0)


def test_bools(printed: Callable[..., list[str]]) -> None:
    lines = printed(bools, torch.tensor([1.0, -1.0, 0.0, 3.0]))
    assert lines == [f"pid (0, 0, 0) idx ({at}) positive: {value}" for at, value in enumerate([1, 0, 0, 1])]


@pytest.mark.parametrize("count", [1, 2, 8, 16, 64, 128, 1024])
def test_indices_are_padded_to_the_largest(printed: Callable[..., list[str]], count: int) -> None:
    x = torch.arange(count, dtype=torch.int32)
    width = 0 if count == 1 else len(str(count - 1))
    expected = [f"pid (0, 0, 0) idx ({at:{width}d}) x: {at}" for at in range(count)]
    assert printed(elements, x, HEX=False, N=count) == expected


@blockdsl.jit
def matrix(x_ptr, M: tl.constexpr, N: tl.constexpr):
    tl.device_print("x", tl.load(x_ptr + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]))


@pytest.mark.parametrize(("rows", "columns"), [(2, 16), (16, 2), (1, 4), (4, 1), (16, 128)])
def test_indices_of_matrices(printed: Callable[..., list[str]], rows: int, columns: int) -> None:
    x = torch.randint(-100, 100, (rows, columns), dtype=torch.int16)
    i, j = (0 if extent == 1 else len(str(extent - 1)) for extent in (rows, columns))
    expected = [
        f"pid (0, 0, 0) idx ({row:{i}d}, {column:{j}d}) x: {x[row, column]}"
        for row in range(rows) for column in range(columns)
    ]  # fmt: skip
    assert sorted(printed(matrix, x, M=rows, N=columns)) == sorted(expected)


@blockdsl.jit
def three_dimensions(x_ptr):
    x = tl.reshape(tl.load(x_ptr + tl.arange(0, 64)), (2, 2, 16))
    tl.device_print("x", tl.trans(x, (2, 0, 1)))


def test_indices_of_three_dimensions(printed: Callable[..., list[str]]) -> None:
    x = torch.randn(64)
    moved = x.reshape(2, 2, 16).permute(2, 0, 1)
    expected = [
        f"pid (0, 0, 0) idx ({a:2d}, {b}, {c}) x: {float(moved[a, b, c]):.6f}"
        for a in range(16) for b in range(2) for c in range(2)
    ]  # fmt: skip
    assert sorted(printed(three_dimensions, x)) == sorted(expected)


@blockdsl.jit
def equal_elements(n, x_ptr):
    tl.device_print("n", tl.full((16,), 0, tl.int32) + n)
    tl.device_print("row", (tl.full((4, 4), 0, tl.int32) + tl.arange(0, 4)[:, None]))


def test_elements_that_are_equal(printed: Callable[..., list[str]]) -> None:
    lines = printed(equal_elements, 7, torch.zeros(1))
    assert lines[:16] == [f"pid (0, 0, 0) idx ({at:2d}) n: 7" for at in range(16)]
    assert lines[16:] == [f"pid (0, 0, 0) idx ({row}, {column}) row: {row}" for row in range(4) for column in range(4)]


@blockdsl.jit
def operands(x_ptr, n, scale):
    tl.device_print("v", tl.load(x_ptr + tl.arange(0, 2)), n, scale)
    tl.device_print("two", n, n + 1)
    tl.device_print("only text")
    tl.device_print("x = ", n)
    tl.device_print(" x: ", n)
    tl.device_print("", n)


def test_several_operands_and_prefixes(printed: Callable[..., list[str]]) -> None:
    start = "pid (0, 0, 0)"
    assert printed(operands, torch.tensor([3, 4]), 64, 0.5) == [
        f"{start} idx (0) v: (operand 0) 3",
        f"{start} idx (1) v: (operand 0) 4",
        f"{start} idx () v: (operand 1) 64",
        f"{start} idx () v: (operand 2) 0.500000",
        f"{start} idx () two: (operand 0) 64",
        f"{start} idx () two: (operand 1) 65",
        f"{start} only text",
        f"{start} idx () x =: 64",
        f"{start} idx () x: 64",
        f"{start} idx (): 64",
    ]


@blockdsl.jit
def in_turn(x_ptr, n, N: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, N))
    tl.device_print("first", x, n)
    tl.device_print("second", x + 1)
    tl.device_print("text")
    tl.device_print("third", n)
    tl.store(x_ptr + tl.arange(0, N), 2 * x)
    tl.device_print("fourth", tl.sum(x))
    tl.device_print("fifth", tl.load(x_ptr + tl.arange(0, N)))


@pytest.mark.parametrize("count", [4, 64])
def test_a_program_prints_in_the_order_of_its_lines(printed: Callable[..., list[str]], count: int) -> None:
    x = torch.zeros(count, dtype=torch.int32)
    known = re.compile("first|second|text|third|fourth|fifth")
    words = [match[0] for match in map(known.search, printed(in_turn, x, 3, N=count)) if match]
    assert words == ["first"] * (count + 1) + ["second"] * count + ["text", "third", "fourth"] + ["fifth"] * count


@blockdsl.jit
def pointers(x_ptr):
    tl.device_print("at", x_ptr)
    tl.device_print("at", x_ptr + tl.arange(0, 2))


def test_pointers(printed: Callable[..., list[str]]) -> None:
    x = torch.zeros(2)
    first = x.data_ptr()
    assert printed(pointers, x) == [
        f"pid (0, 0, 0) idx () at: 0x{first:016x}",
        f"pid (0, 0, 0) idx (0) at: 0x{first:016x}",
        f"pid (0, 0, 0) idx (1) at: 0x{first + 4:016x}",
    ]


def test_lines_of_programs_are_whole(printed: Callable[..., list[str]]) -> None:
    x = torch.arange(64, dtype=torch.int32)
    lines = printed(elements, x, HEX=False, N=64, grid=(4, 8, 2))
    assert len(lines) == 64 * 64
    assert all(re.fullmatch(r"pid \([0-3], [0-7], [01]\) idx \([ \d]\d\) x: \d+", line) for line in lines)

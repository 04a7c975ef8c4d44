"""Tests of integer division and shifts, as compatibility.md defines them, and of high products, for every width."""

from __future__ import annotations

import numpy as np
import pytest

from numerics.stretch import HOST, PORTABLE, Kernels, elementwise_kernel

LANES = 16
WIDTHS = [8, 16, 32, 64]
OPS = ["divsi", "remsi", "divui", "remui"]
CONSTANTS = [1, 7, 8, -1, -3, 0]
SHIFTS = ["shli", "shrsi", "shrui"]


def kernel(op: str, width: int) -> str:
    vector = f"vector<{LANES}xi{width}>"
    body = f"%y = {op_line(op)} %x0, %x1 : {vector}"
    return elementwise_kernel(f"{op}_{width}", [f"i{width}"] * 2, f"i{width}", LANES, body)


def op_line(op: str) -> str:
    return "tt.mulhiui" if op == "mulhiui" else f"arith.{op}"


def constant_kernel(op: str, width: int, divisor: int) -> str:
    vector = f"vector<{LANES}xi{width}>"
    body = f"%d = arith.constant dense<{divisor}> : {vector}\n%y = arith.{op} %x0, %d : {vector}"
    return elementwise_kernel(f"{op}_{width}_by_{divisor % 251}", [f"i{width}"], f"i{width}", LANES, body)


def uniform_kernel(op: str, width: int) -> str:
    """Divides all lanes by one number, which the loop loads."""
    vector = f"vector<{LANES}xi{width}>"
    body = f"%d = vector.extract %x1[3] : i{width} from {vector}\n%ds = vector.broadcast %d : i{width} to {vector}\n"
    body += f"%y = arith.{op} %x0, %ds : {vector}"
    return elementwise_kernel(f"{op}_{width}_uniform", [f"i{width}"] * 2, f"i{width}", LANES, body)


def amounts(width: int) -> list[int]:
    return [0, 1, width - 1, width, width + 1, 2 * width - 1, -1]


def mixed_kernel(op: str, width: int) -> str:
    """Divides by a constant that differs between lanes."""
    vector = f"vector<{LANES}xi{width}>"
    lanes = ", ".join(str(n) for n in np.resize(amounts(width), LANES))
    body = f"%d = arith.constant dense<[{lanes}]> : {vector}\n%y = arith.{op} %x0, %d : {vector}"
    return elementwise_kernel(f"{op}_{width}_mixed", [f"i{width}"], f"i{width}", LANES, body)


@pytest.fixture(scope="module", params=[HOST, PORTABLE], ids=["host", "portable"])
def kernels(request):
    bodies = [kernel(op, width) for op in [*OPS, *SHIFTS, "mulhiui"] for width in WIDTHS]
    bodies += [constant_kernel(op, width, amount) for op in SHIFTS for width in WIDTHS for amount in amounts(width)]
    bodies += [make(op, width) for make in (uniform_kernel, mixed_kernel) for op in SHIFTS for width in WIDTHS]
    bodies += [constant_kernel(op, width, divisor) for op in OPS for width in WIDTHS for divisor in CONSTANTS]
    bodies += [uniform_kernel(op, width) for op in OPS for width in WIDTHS]
    return Kernels(bodies, request.param)


def integers(width: int, seed: int) -> np.ndarray:
    """Integers of all magnitudes, and special ones."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 2**63, 32_000, dtype=np.uint64) * 2 + random.integers(0, 2, 32_000, dtype=np.uint64)
    numbers = (bits >> random.integers(64 - width, 64, 32_000).astype(np.uint64)).astype(f"u{width // 8}")
    numbers[::2] = (0 - numbers[::2].astype(np.uint64)).astype(numbers.dtype)
    return numbers


def pairs(width: int) -> tuple[np.ndarray, np.ndarray]:
    a, b = integers(width, 1), integers(width, 2)
    least = 1 << (width - 1)
    special = np.array([0, 1, 2, 3, least, least - 1, least + 1, 2 * least - 1, 2 * least - 2], a.dtype)
    grid = np.meshgrid(special, special)
    a[:81], b[:81] = grid[0].ravel(), grid[1].ravel()
    # Quotients next to integers, where a rounded one would be wrong.
    product = (a[200:4000].astype(np.uint64) * b[200:4000].astype(np.uint64)).astype(a.dtype)
    a[200:4000] = product - np.arange(3800).astype(a.dtype) % a.dtype.type(3)
    return a, b


def truth(op: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Divides Python's integers, rounding toward zero; division by zero gives zero."""
    width = a.dtype.itemsize * 8
    signed = op.endswith("si")
    x = [int(v) for v in (a.view(f"i{width // 8}") if signed else a)]
    y = [int(v) for v in (b.view(f"i{width // 8}") if signed and op not in SHIFTS else b)]
    if op in SHIFTS:
        left = [p << q if q < width else 0 for p, q in zip(x, y, strict=True)]
        result = left if op == "shli" else [p >> min(q, width) for p, q in zip(x, y, strict=True)]
    elif op == "mulhiui":
        result = [(p * q) >> width for p, q in zip(x, y, strict=True)]
    else:
        signs = [1 if (p < 0) == (q < 0) else -1 for p, q in zip(x, y, strict=True)]
        quotients = [s * (abs(p) // abs(q)) if q else 0 for p, q, s in zip(x, y, signs, strict=True)]
        remainders = [p - q * d if q else 0 for p, q, d in zip(x, y, quotients, strict=True)]
        result = quotients if op.startswith("div") else remainders
    return np.array([r % (1 << width) for r in result], np.uint64).astype(a.dtype)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", [*OPS, "mulhiui"])
def test_operation_on_vectors(kernels, op, width):
    a, b = pairs(width)
    got = kernels.run(f"{op}_{width}", [a, b], np.empty_like(a))
    wrong = got != truth(op, a, b)
    assert not wrong.any(), (a[wrong][:5], b[wrong][:5], got[wrong][:5])


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", OPS)
def test_by_a_constant(kernels, op, width):
    a, _ = pairs(width)
    for divisor in CONSTANTS:
        b = np.full_like(a, divisor % (1 << width))
        got = kernels.run(f"{op}_{width}_by_{divisor % 251}", [a], np.empty_like(a))
        assert (got == truth(op, a, b)).all(), divisor


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", OPS)
def test_all_lanes_by_one_number(kernels, op, width):
    a, b = pairs(width)
    got = kernels.run(f"{op}_{width}_uniform", [a, b], np.empty_like(a))
    assert (got == truth(op, a, np.repeat(b[3::LANES], LANES))).all()


def shifted(width: int) -> tuple[np.ndarray, np.ndarray]:
    a, b = pairs(width)
    return a, np.where(np.arange(b.size) % 3 == 0, b, b % a.dtype.type(2 * width)).astype(a.dtype)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", SHIFTS)
def test_shifts_by_anything(kernels, op, width):
    a, b = shifted(width)
    assert (kernels.run(f"{op}_{width}", [a, b], np.empty_like(a)) == truth(op, a, b)).all()
    got = kernels.run(f"{op}_{width}_uniform", [a, b], np.empty_like(a))
    assert (got == truth(op, a, np.repeat(b[3::LANES], LANES))).all()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", SHIFTS)
def test_shifts_by_constants(kernels, op, width):
    a, _ = pairs(width)
    for amount in amounts(width):
        b = np.full_like(a, amount % (1 << width))
        got = kernels.run(f"{op}_{width}_by_{amount % 251}", [a], np.empty_like(a))
        assert (got == truth(op, a, b)).all(), amount
    lanes = np.resize(np.array(amounts(width), np.int64), LANES).astype(a.dtype)
    got = kernels.run(f"{op}_{width}_mixed", [a], np.empty_like(a))
    assert (got == truth(op, a, np.resize(lanes, a.size))).all()

"""libdevice's functions that are written in the language, against exact arithmetic of fractions and integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import Run, flushed

import blockdsl
import blockdsl.language as tl
from blockdsl.language.extra import libdevice

N = 512
WAYS = ("rd", "ru", "rz", "rn")


def floats(kind: str, seed: int, device: str) -> Any:
    """Numbers of every size, near ones and powers of two, limits, NaN and infinities; without denormals for a GPU."""
    choose = np.random.default_rng(seed)
    info = np.finfo(kind)
    bits = choose.integers(0, 2 ** (info.bits - 1), N, np.int64 if info.bits == 64 else np.int32).astype(
        f"i{info.bits // 8}"
    )
    drawn = bits.view(kind) * choose.choice([-1, 1], N).astype(kind)
    near = (choose.normal(size=N) * choose.choice([1, 3, 1e-3, 1e6], N)).astype(kind)
    special = np.array([0.0, -0.0, 1, -1, 3, info.max, -info.max, info.tiny, -info.tiny, info.smallest_subnormal,
                        -info.smallest_subnormal, np.inf, -np.inf, np.nan, 2, 0.5], kind)  # fmt: skip
    made = np.where(choose.random(N) < 0.4, drawn, np.where(choose.random(N) < 0.75, near, choose.choice(special, N)))
    return flushed(made) if device == "cuda" else made


def rounded(exact: Fraction, kind: Any, direction: str) -> Any:
    """Rounds a nonzero number to a float in a given direction."""
    try:
        value = kind(float(exact))
    except OverflowError:
        value = kind(math.inf if exact > 0 else -math.inf)

    def compare(value: Any) -> int:
        if math.isinf(value):
            return 1 if value > 0 else -1
        return (Fraction(float(value)) > exact) - (Fraction(float(value)) < exact)

    up, down = kind(math.inf), kind(-math.inf)
    while compare(value) > 0:
        value = np.nextafter(value, down)
    while compare(np.nextafter(value, up)) <= 0:
        value = np.nextafter(value, up)
    below = value if value != 0 or exact > 0 else kind(-0.0)
    above = below if compare(value) == 0 else np.nextafter(value, up)
    if above == 0:
        above = kind(-0.0 if exact < 0 else 0.0)
    if direction == "rd" or (direction == "rz" and exact > 0):
        return below
    return above


def plain_fma(x: Any, y: Any, z: Any) -> Any:
    """Infinities stay infinite, however large the product."""
    return z if np.isfinite(x) and np.isfinite(y) and np.isinf(z) else x * y + z


Exact = Callable[..., Fraction]
ARITHMETIC: dict[str, tuple[int, Any, Exact]] = {
    "add": (2, np.add, lambda x, y: x + y), "sub": (2, np.subtract, lambda x, y: x - y),
    "mul": (2, np.multiply, lambda x, y: x * y), "div": (2, np.divide, lambda x, y: x / y),
    "rcp": (1, np.reciprocal, lambda x: 1 / x), "fma": (3, plain_fma, lambda x, y, z: x * y + z),
}  # fmt: skip


@blockdsl.jit
def applied(out_ptr, x_ptr, y_ptr, z_ptr, OP: tl.constexpr, ARITY: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    if ARITY == 1:
        tl.store(out_ptr + at, OP(tl.load(x_ptr + at)))
    elif ARITY == 2:
        tl.store(out_ptr + at, OP(tl.load(x_ptr + at), tl.load(y_ptr + at)))
    else:
        tl.store(out_ptr + at, OP(tl.load(x_ptr + at), tl.load(y_ptr + at), tl.load(z_ptr + at)))


def values_of(run: Run, name: str, arrays: list[Any], dtype: torch.dtype) -> Any:
    out = torch.zeros(arrays[0].size, dtype=dtype)
    given = [torch.from_numpy(array) for array in (arrays * 3)[:3]]
    run(applied, (1,), out, *given, OP=getattr(libdevice, name), ARITY=len(arrays), N=arrays[0].size)
    return out.numpy()


def expected_of(name: str, direction: str, arrays: list[Any], kind: Any) -> Any:
    _, plain, exact = ARITHMETIC[name]
    found = []
    with np.errstate(all="ignore"):
        for values in zip(*arrays, strict=True):
            nearest = plain(*values)
            fraction = None
            if all(np.isfinite(values)) and not (name in ("div", "rcp") and values[-1] == 0):
                fraction = exact(*(Fraction(float(value)) for value in values))
            if fraction and direction != "rn":
                nearest = rounded(fraction, kind, direction)
            elif fraction == 0 and direction == "rd" and name in ("add", "sub", "fma"):
                terms = values if name == "add" else (values[0], -values[1]) if name == "sub" else (
                    values[0] * values[1], values[2])  # fmt: skip
                nearest = kind(-0.0 if any(np.signbit(terms)) else 0.0)
            found.append(nearest)
    return np.array(found, kind)


def same_bits(actual: Any, expected: Any) -> None:
    bits = f"u{actual.itemsize}"
    wrong = (actual.view(bits) != expected.view(bits)) & ~(np.isnan(actual) & np.isnan(expected))
    assert not wrong.any(), f"{actual[wrong][:4]} differ from {expected[wrong][:4]} at {np.flatnonzero(wrong)[:4]}"


CASES = [
    (name, way, kind)
    for name in ARITHMETIC
    for way in WAYS
    for kind in ("float32", "float64")
    if (name, way) != ("fma", "rn")
]


@pytest.mark.parametrize(("name", "direction", "kind"), CASES)
def test_arithmetic_rounds_in_named_direction(run: Run, device: str, name: str, direction: str, kind: str) -> None:
    arity = ARITHMETIC[name][0]
    arrays = [floats(kind, seed, device) for seed in range(arity)]
    if name in ("add", "fma"):
        arrays[-1][::7] = -arrays[0][::7]
    if name == "fma":
        # A sum that nearly cancels.
        with np.errstate(all="ignore"):
            arrays[-1][1::7] = -(arrays[0] * arrays[1])[1::7]
    if device == "cuda":
        arrays = [flushed(array) for array in arrays]
    actual = values_of(run, f"{name}_{direction}", arrays, getattr(torch, kind))
    expected = expected_of(name, direction, arrays, np.dtype(kind).type)
    same_bits(actual, flushed(expected) if device == "cuda" else expected)


@pytest.mark.parametrize("direction", WAYS)
@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_roots_round_in_named_direction(run: Run, device: str, direction: str, kind: str) -> None:
    x = np.abs(floats(kind, 5, device))
    actual = values_of(run, f"sqrt_{direction}", [x], getattr(torch, kind))
    finite = np.isfinite(x) & (x > 0)
    assert np.array_equal(actual[~finite], x[~finite], equal_nan=True)
    for root, square in zip(actual[finite], x[finite], strict=True):
        exact, got = Fraction(float(square)), Fraction(float(root))
        below = Fraction(float(np.nextafter(root, root.dtype.type(0))))
        above = Fraction(float(np.nextafter(root, root.dtype.type(np.inf))))
        if direction in ("rd", "rz"):
            assert got**2 <= exact < above**2
        elif direction == "ru":
            assert below**2 < exact <= got**2
        else:
            assert ((got + below) / 2) ** 2 <= exact <= ((got + above) / 2) ** 2


@pytest.mark.parametrize("direction", WAYS)
def test_doubles_become_singles(run: Run, device: str, direction: str) -> None:
    x = np.concatenate(
        [floats("float64", 8, device)[: N // 2], floats("float32", 9, device)[: N // 2].astype("float64") * (1 + 1e-12)]
    )
    with np.errstate(all="ignore"):
        expected = [
            rounded(Fraction(float(v)), np.float32, direction)
            if np.isfinite(v) and v and direction != "rn"
            else np.float32(v)
            for v in x
        ]
    singles = np.array(expected, np.float32)
    same_bits(
        values_of(run, f"double2float_{direction}", [x], torch.float32),
        flushed(singles) if device == "cuda" else singles,
    )


INTEGERS = {
    "int": ("int32", "int32"),
    "uint": ("uint32", "int32"),
    "ll": ("int64", "int64"),
    "ull": ("uint64", "int64"),
}
TO_WHOLE: dict[str, Any] = {"rd": math.floor, "ru": math.ceil, "rz": math.trunc, "rn": round}


@pytest.mark.parametrize("direction", WAYS)
@pytest.mark.parametrize("integer", INTEGERS)
@pytest.mark.parametrize("source", ["float", "double"])
def test_floats_become_integers(run: Run, device: str, source: str, integer: str, direction: str) -> None:
    target, stored = INTEGERS[integer]
    x = floats("float32" if source == "float" else "float64", 11, device)
    bounds = np.iinfo(target)
    wide = source == "double" or target.endswith("64")
    of_nan = 1 << (bounds.bits - 1) if wide else 0
    if bounds.min < 0:
        of_nan = -of_nan
    far = 2**100
    to_whole = TO_WHOLE[direction]
    whole = [of_nan if np.isnan(v) else to_whole(Fraction(float(v))) if np.isfinite(v) else int(np.sign(v)) * far
             for v in x]  # fmt: skip
    expected = np.array([min(max(v, bounds.min), bounds.max) for v in whole], target).view(stored)
    actual = values_of(run, f"{source}2{integer}_{direction}", [x], getattr(torch, stored))
    assert np.array_equal(actual, expected)


@pytest.mark.parametrize("direction", WAYS)
@pytest.mark.parametrize(("integer", "target"), [("int", "float"), ("uint", "float"), ("ll", "float"), ("ull", "float"),
                                                 ("ll", "double"), ("ull", "double")])  # fmt: skip
def test_integers_become_floats(run: Run, device: str, integer: str, target: str, direction: str) -> None:
    meant = INTEGERS[integer][0]
    bounds = np.iinfo(meant)
    choose = np.random.default_rng(3)
    x = choose.integers(bounds.min, bounds.max, N, meant, endpoint=True) >> choose.integers(
        0, bounds.bits - 1, N
    ).astype(meant)
    x[:4] = bounds.min, bounds.max, 0, 1
    kind = np.float32 if target == "float" else np.float64
    ends = direction != "rn"
    expected = np.array([rounded(Fraction(int(v)), kind, direction) if v and ends else kind(v) for v in x], kind)
    same_bits(values_of(run, f"{integer}2{target}_{direction}", [x], getattr(torch, np.dtype(kind).name)), expected)


def test_every_triton_name_exists() -> None:
    import triton.language.extra.libdevice as theirs

    names = {name for name in vars(theirs) if name[0] != "_" and callable(getattr(theirs, name)) and name != "core"}
    missing = {name for name in names if not hasattr(libdevice, name)}
    assert not missing
    assert names <= set(dir(libdevice))

"""libdevice's functions of integers, of bits, and its norms, against Python's integers and NumPy's long doubles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from reference_checks import Run, flushed

import blockdsl
import blockdsl.language as tl
from blockdsl.language.extra import libdevice

N = 256


def integers(kind: str, seed: int) -> Any:
    """Numbers of every length, and the limits."""
    bounds, choose = np.iinfo(kind), np.random.default_rng(seed)
    shifts = choose.integers(0, bounds.bits, N).astype(kind)
    drawn = choose.integers(bounds.min, bounds.max, N, kind, endpoint=True) >> shifts
    drawn[:6] = [bounds.min, bounds.max, 0, 1, 2, bounds.max // 3]
    return drawn


@blockdsl.jit
def applied(out_ptr, x_ptr, y_ptr, z_ptr, w_ptr, OP: tl.constexpr, ARITY: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x, y, z, w = tl.load(x_ptr + at), tl.load(y_ptr + at), tl.load(z_ptr + at), tl.load(w_ptr + at)
    if ARITY == 1:
        tl.store(out_ptr + at, OP(x))
    elif ARITY == 2:
        tl.store(out_ptr + at, OP(x, y))
    elif ARITY == 3:
        tl.store(out_ptr + at, OP(x, y, z))
    else:
        tl.store(out_ptr + at, OP(x, y, z, w))


def values_of(run: Run, name: str, arrays: list[Any], dtype: str) -> Any:
    out = torch.zeros(N, dtype=getattr(torch, dtype))
    given = [torch.from_numpy(array) for array in (arrays * 4)[:4]]
    run(applied, (1,), out, *given, OP=getattr(libdevice, name), ARITY=len(arrays), N=N)
    return out.numpy()


def wrapped(value: int, bits: int) -> int:
    value &= 2**bits - 1
    return value - 2**bits if value >> (bits - 1) else value


def reversed_bits(x: int, bits: int) -> int:
    return wrapped(int(f"{x & (2**bits - 1):0{bits}b}"[::-1], 2), bits)


def permuted(x: int, y: int, z: int) -> int:
    pool = (x & 0xFFFFFFFF).to_bytes(4, "little") + (y & 0xFFFFFFFF).to_bytes(4, "little")
    return int.from_bytes(bytes(pool[(z >> 4 * at) & 7] for at in range(4)), "little", signed=True)


def low24(x: int, signed: bool) -> int:
    return wrapped(x, 24) if signed else x & 0xFFFFFF


CASES: list[tuple[str, tuple[str, ...], str, Callable[..., int]]] = [
    ("abs", ("int32",), "int32", lambda x: wrapped(abs(x), 32)),
    ("abs", ("int64",), "int64", lambda x: wrapped(abs(x), 64)),
    ("brev", ("int32",), "int32", lambda x: reversed_bits(x, 32)),
    ("brev", ("int64",), "int64", lambda x: reversed_bits(x, 64)),
    ("clz", ("int32",), "int32", lambda x: 32 - (x & 0xFFFFFFFF).bit_length()),
    ("clz", ("int64",), "int32", lambda x: 64 - (x & (2**64 - 1)).bit_length()),
    ("ffs", ("int32",), "int32", lambda x: (x & -x).bit_length()),
    ("ffs", ("int64",), "int32", lambda x: (x & -x).bit_length()),
    ("byte_perm", ("int32", "int32", "int32"), "int32", permuted),
    ("hadd", ("int32", "int32"), "int32", lambda x, y: (x + y) >> 1),
    ("hadd", ("uint32", "uint32"), "uint32", lambda x, y: (x + y) >> 1),
    ("rhadd", ("int32", "int32"), "int32", lambda x, y: (x + y + 1) >> 1),
    ("rhadd", ("uint32", "uint32"), "uint32", lambda x, y: (x + y + 1) >> 1),
    ("mul24", ("int32", "int32"), "int32", lambda x, y: wrapped(low24(x, True) * low24(y, True), 32)),
    ("mul24", ("uint32", "uint32"), "uint32", lambda x, y: low24(x, False) * low24(y, False) & 0xFFFFFFFF),
    ("mulhi", ("int32", "int32"), "int32", lambda x, y: (x * y) >> 32),
    ("mulhi", ("uint32", "uint32"), "uint32", lambda x, y: (x * y) >> 32),
    ("mulhi", ("int64", "int64"), "int64", lambda x, y: (x * y) >> 64),
    ("mulhi", ("uint64", "uint64"), "uint64", lambda x, y: (x * y) >> 64),
    ("sad", ("int32", "int32", "uint32"), "int32", lambda x, y, z: wrapped(abs(x - y) + z, 32)),
    ("sad", ("uint32", "uint32", "uint32"), "uint32", lambda x, y, z: (abs(x - y) + z) & 0xFFFFFFFF),
]


@pytest.mark.parametrize(("name", "kinds", "result", "meaning"), CASES, ids=[f"{c[0]}-{c[1][0]}" for c in CASES])
def test_integers(run: Run, name: str, kinds: tuple[str, ...], result: str, meaning: Callable[..., int]) -> None:
    arrays = [integers(kind, seed) for seed, kind in enumerate(kinds)]
    expected = [meaning(*map(int, values)) for values in zip(*arrays, strict=True)]
    assert values_of(run, name, arrays, result).tolist() == expected


def numbers(kind: str, seed: int) -> Any:
    choose = np.random.default_rng(seed)
    wide = 300 if kind == "float64" else 36
    x = choose.normal(size=N) * 10.0 ** choose.integers(-wide, wide, N)
    x[:8] = 0.0, np.inf, -np.inf, np.nan, -0.0, 1.0, 2.5, -2.5
    return x.astype(kind)


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize(
    ("name", "arity"), [("norm3d", 3), ("norm4d", 4), ("rnorm3d", 3), ("rnorm4d", 4), ("rhypot", 2)]
)
def test_norms(run: Run, name: str, arity: int, kind: str) -> None:
    arrays = [numbers(kind, seed) for seed in range(arity)]
    arrays[1][::3] = arrays[0][::3] * 2
    with np.errstate(all="ignore"):
        expected = np.array([math.hypot(*map(float, values)) for values in zip(*arrays, strict=True)])
        expected = 1 / expected if name.startswith("r") else expected
        np.testing.assert_allclose(
            values_of(run, name, arrays, kind), expected.astype(kind), rtol=2 * np.finfo(kind).eps
        )


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_exponents_and_nearest_integers(run: Run, device: str, kind: str) -> None:
    x = numbers(kind, 3)
    x[8:12] = np.finfo(kind).smallest_subnormal, np.finfo(kind).tiny, 0.5, 4503599627370497.5
    x = flushed(x) if device == "cuda" else x
    special = {0.0: -(2**31), np.inf: 2**31 - 1, -np.inf: 2**31 - 1}
    expected = [-(2**31) if v != v else special[v] if v in special else math.frexp(v)[1] - 1 for v in map(float, x)]
    assert values_of(run, "ilogb", [x], "int32").tolist() == expected

    def clamped(value: float, whole: Callable[[float], float]) -> int:
        if math.isnan(value):
            return -(2**63)
        return max(
            min(int(whole(value)) if math.isfinite(value) else int(math.copysign(2**80, value)), 2**63 - 1), -(2**63)
        )

    away = [
        clamped(v, lambda v: math.copysign(math.floor(abs(v) + 0.5), v) if abs(v) < 2**52 else v) for v in map(float, x)
    ]
    assert values_of(run, "llrint", [x], "int64").tolist() == [clamped(v, round) for v in map(float, x)]
    assert values_of(run, "llround", [x], "int64").tolist() == away


def test_bits_and_the_rest(run: Run, device: str) -> None:
    single, double, whole = numbers("float32", 1), numbers("float64", 2), integers("int64", 3)
    single = flushed(single) if device == "cuda" else single
    narrow = integers("int32", 4)
    assert np.array_equal(values_of(run, "float_as_int", [single], "int32"), single.view("int32"))
    assert np.array_equal(values_of(run, "float_as_uint", [single], "int32"), single.view("int32"))
    assert np.array_equal(values_of(run, "int_as_float", [narrow], "float32"), narrow.view("float32"), equal_nan=True)
    unsigned = narrow.view("uint32")
    assert np.array_equal(
        values_of(run, "uint_as_float", [unsigned], "float32"), narrow.view("float32"), equal_nan=True
    )
    assert np.array_equal(values_of(run, "double_as_longlong", [double], "int64"), double.view("int64"))
    back = values_of(run, "longlong_as_double", [whole], "float64")
    assert np.array_equal(back, whole.view("float64"), equal_nan=True)
    high, low = double.view("int32")[1::2].copy(), double.view("int32")[::2].copy()
    assert np.array_equal(values_of(run, "double2hiint", [double], "int32"), high)
    assert np.array_equal(values_of(run, "double2loint", [double], "int32"), low)
    assert np.array_equal(values_of(run, "hiloint2double", [high, low], "float64"), double, equal_nan=True)
    assert np.array_equal(values_of(run, "int2double_rn", [narrow], "float64"), narrow.astype("float64"))
    assert np.array_equal(values_of(run, "uint2double_rn", [unsigned], "float64"), unsigned.astype("float64"))
    with np.errstate(all="ignore"):
        clipped = np.where(np.isnan(single), 0, np.clip(single, 0, 1)).astype("float32")
        assert np.array_equal(values_of(run, "saturatef", [single], "float32"), clipped)
        roots = (1 / np.sqrt(single.astype("longdouble"))).astype("float32")
        np.testing.assert_array_equal(values_of(run, "rsqrt_rn", [single], "float32"), roots)
        inverse = ((1 / double).view("int64") & -(2**32)).view("float64")
        # A GPU's is approximate, and flushes denormals.
        rough = 0 if device == "cpu" else 2e-6
        usual = (np.abs(inverse) > 1e-300) & (np.abs(double) > 1e-300) if rough else np.full(len(double), True)
        found = values_of(run, "rcp64h", [double], "float64")
        np.testing.assert_allclose(found[usual], inverse[usual], rtol=rough, atol=0)
        quotients = values_of(run, "fast_dividef", [single, single[::-1].copy()], "float32")
        expected = single / single[::-1]
        np.testing.assert_allclose(quotients, flushed(expected) if device == "cuda" else expected, rtol=1e-6)
        np.testing.assert_allclose(values_of(run, "fast_tanhf", [single], "float32"), np.tanh(single), rtol=1e-6)
        np.testing.assert_array_equal(values_of(run, "fma_rn", [single] * 3, "float32"),
                                      (single.astype("float64") ** 2 + single).astype("float32"))  # fmt: skip
        powers = (narrow % 40).astype("int32")
        np.testing.assert_array_equal(values_of_pair(run, double, powers), np.ldexp(double, powers))


def values_of_pair(run: Run, x: Any, y: Any) -> Any:
    out = torch.zeros(N, dtype=torch.float64)
    given = [torch.from_numpy(array) for array in (x, y, x, x)]
    run(applied, (1,), out, *given, OP=libdevice.scalbn, ARITY=2, N=N)
    return out.numpy()

"""Conversions between float types on every input of 8 and 16 bits, and functions of f16 and bf16 on every input."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from numerics.stretch import HOST, PORTABLE, Kernels, elementwise_kernel

# NaN and infinity are among the converted and compared numbers.
pytestmark = pytest.mark.filterwarnings("ignore:(invalid|overflow):RuntimeWarning")

LANES = 16
TORCH = {
    "f8E4M3FN": torch.float8_e4m3fn,
    "f8E5M2": torch.float8_e5m2,
    "f8E4M3FNUZ": torch.float8_e4m3fnuz,
    "f8E5M2FNUZ": torch.float8_e5m2fnuz,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
}
FLOAT8 = [name for name in TORCH if name.startswith("f8")]
FUNCTIONS = {name: getattr(torch, name) for name in ("exp", "log", "sin", "tanh", "erf", "rsqrt")}


def convert(source: str, target: str, rounding: str) -> str:
    vectors = f"vector<{LANES}x{source}> -> vector<{LANES}x{target}>"
    body = f"%y = tt.fp_to_fp %x0, rounding = {rounding} : {vectors}"
    return elementwise_kernel(f"{source}_{target}_{rounding}", [source], target, LANES, body)


def from_integer(sign: str, width: int, name: str) -> str:
    body = f"%y = arith.{sign}itofp %x0 : vector<{LANES}xi{width}> to vector<{LANES}x{name}>"
    return elementwise_kernel(f"{sign}{width}_{name}", [f"i{width}"], name, LANES, body)


@pytest.fixture(scope="module", params=[HOST, PORTABLE], ids=["host", "portable"])
def kernels(request):
    bodies = [convert(name, "f32", "rtne") for name in TORCH]
    bodies += [convert("f32", name, rounding) for name in TORCH for rounding in ("rtne", "rtz")]
    bodies += [convert("f64", name, "rtne") for name in TORCH]
    bodies += [convert("bf16", "f16", "rtne"), convert("f64", "f32", "rtz")]
    bodies += [from_integer(sign, width, name) for name in TORCH for width in (16, 32, 64) for sign in "su"]
    for name in FUNCTIONS:
        for dtype in ("f16", "bf16"):
            body = f"%y = math.{name} %x0 : vector<{LANES}x{dtype}>"
            bodies.append(elementwise_kernel(f"{name}_{dtype}", [dtype], dtype, LANES, body))
    return Kernels(bodies, request.param)


def codes(dtype: str) -> np.ndarray:
    """Returns every bit pattern."""
    return np.arange(256, dtype=np.uint8) if dtype in FLOAT8 else np.arange(65536, dtype=np.uint16)


def values(dtype: str) -> np.ndarray:
    """Returns the value of every bit pattern, by torch."""
    return torch.from_numpy(codes(dtype)).view(TORCH[dtype]).to(torch.float64).numpy()


def same(got: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Returns true for equal numbers with equal signs of zero, and for two NaNs."""
    return (np.isnan(got) & np.isnan(truth)) | ((got == truth) & (np.signbit(got) == np.signbit(truth)))


@pytest.mark.parametrize("dtype", TORCH)
def test_widening_is_exact(kernels, dtype):
    got = kernels.run(f"{dtype}_f32_rtne", [codes(dtype)], np.empty(codes(dtype).size, np.float32))
    assert same(got, values(dtype)).all()


def numbers_to_narrow(dtype: str) -> np.ndarray:
    """Every finite value, the middles between neighbors, numbers just beside both, and special numbers."""
    finite = np.unique(values(dtype)[np.isfinite(values(dtype))])
    middles = (finite[1:] + finite[:-1]) / 2
    exact = np.concatenate([finite, middles]).astype(np.float32)
    near = [exact, np.nextafter(exact, np.float32(np.inf)), np.nextafter(exact, np.float32(-np.inf))]
    random = np.random.default_rng(3).integers(0, 2**32, 50_000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 3.4e38, -3.4e38, 1e-45, -1e-45], np.float32)
    numbers = np.concatenate([*near, random, special])
    return np.resize(numbers, (numbers.size // LANES + 1) * LANES)


def nearest(x: np.ndarray, dtype: str, toward_zero: bool) -> np.ndarray:
    """Rounds to the type by search, ties to even. 8-bit floats saturate."""
    code, value = codes(dtype), values(dtype)
    positive = np.isfinite(value) & ~np.signbit(value)
    code, value = code[positive], value[positive]
    a = np.abs(x.astype(np.float64))
    below = np.clip(np.searchsorted(value, a, side="right") - 1, 0, value.size - 1)
    # The number that would follow the largest one: from half way to it on, numbers are not rounded to the largest.
    after = np.append(value, 2 * value[-1] - value[-2])
    middle = (value[below] + after[below + 1]) / 2
    up = ~toward_zero & ((a > middle) | ((a == middle) & (code[below] % 2 == 1)))
    beyond = value[-1] if code.dtype.itemsize == 1 else np.inf
    result = np.append(value, beyond)[below + up]
    result = np.where(np.isinf(a), beyond, np.where(np.isnan(a), np.nan, result))
    if dtype.endswith("UZ"):
        return np.where(result == 0, 0.0, np.copysign(result, x))
    return np.copysign(result, x)


@pytest.mark.parametrize("rounding", ["rtne", "rtz"])
@pytest.mark.parametrize("dtype", TORCH)
def test_narrowing_rounds_once(kernels, dtype, rounding):
    x = numbers_to_narrow(dtype)
    out = kernels.run(f"f32_{dtype}_{rounding}", [x], np.empty(x.size, codes(dtype).dtype))
    truth = nearest(x, dtype, rounding == "rtz")
    wrong = ~same(values(dtype)[out], truth)
    assert not wrong.any(), (x[wrong][:5], values(dtype)[out][wrong][:5], truth[wrong][:5])


@pytest.mark.parametrize("dtype", TORCH)
def test_f64_is_not_rounded_twice(kernels, dtype):
    finite = np.unique(values(dtype)[np.isfinite(values(dtype))])
    middles = (finite[1:] + finite[:-1]) / 2
    x = np.concatenate([middles, middles * (1 + 2.0**-45), middles * (1 - 2.0**-45)])
    x = np.resize(x, (x.size // LANES + 1) * LANES)
    out = kernels.run(f"f64_{dtype}_rtne", [x], np.empty(x.size, codes(dtype).dtype))
    assert same(values(dtype)[out], nearest(x, dtype, toward_zero=False)).all()


@pytest.mark.parametrize("sign", ["s", "u"])
@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("dtype", TORCH)
def test_integers_are_rounded_once(kernels, dtype, width, sign):
    finite = np.unique(np.abs(values(dtype)[np.isfinite(values(dtype))]))
    finite = finite[(finite >= 1) & (finite < 2.0 ** (width - (sign == "s")))]
    # Middles between neighbors, which f32 does not distinguish from their own neighbors.
    middles = [int(n) for n in (finite[1:] + finite[:-1]) / 2]
    numbers = [n + d for n in [0, 1, 5, 448, 464, *middles] for d in (-1, 0, 1)]
    if sign == "s":
        numbers += [-n for n in numbers] + [-(2 ** (width - 1))]
    numbers = [n % 2**width for n in numbers]
    stored = np.resize(np.array(numbers, f"u{width // 8}"), (len(numbers) // LANES + 1) * LANES)
    out = kernels.run(f"{sign}{width}_{dtype}", [stored], np.empty(stored.size, codes(dtype).dtype))
    exact = stored.view(f"{'i' if sign == 's' else 'u'}{width // 8}")
    # Just beside a middle, f64 may not resolve the difference: the sign of the rest decides.
    middle = exact.astype(np.float64)
    rest = [int(n) - int(m) for n, m in zip(exact, middle, strict=True)]
    beside = np.nextafter(middle, np.where(np.array(rest) > 0, np.inf, -np.inf))
    truth = nearest(np.where(np.array(rest) == 0, middle, beside), dtype, toward_zero=False)
    assert same(values(dtype)[out], truth).all()


def test_between_types_of_16_bits(kernels):
    out = kernels.run("bf16_f16_rtne", [codes("bf16")], np.empty(65536, np.uint16))
    with np.errstate(over="ignore"):
        truth = values("bf16").astype(np.float32).astype(np.float16).astype(np.float64)
    assert same(values("f16")[out], truth).all()


def test_f64_to_f32_toward_zero(kernels):
    x = np.random.default_rng(5).normal(size=4096) * 10.0 ** np.random.default_rng(6).integers(-44, 38, 4096)
    got = kernels.run("f64_f32_rtz", [x], np.empty(x.size, np.float32))
    rounded = x.astype(np.float32)
    is_further = np.abs(rounded.astype(np.float64)) > np.abs(x)
    truth = np.where(is_further, np.nextafter(rounded, np.float32(0)), rounded)
    assert same(got, truth.astype(np.float32)).all()


@pytest.mark.parametrize("dtype", ["f16", "bf16"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_every_number_of_16_bits(kernels, name, dtype):
    out = kernels.run(f"{name}_{dtype}", [codes(dtype)], np.empty(65536, np.uint16))
    truth = FUNCTIONS[name](torch.from_numpy(values(dtype))).numpy()
    got = values(dtype)[out]
    # Nearly always the nearest; if the exact value is near the middle of two, either of them.
    rounded = truth.astype(np.float32)
    low = nearest(np.nextafter(rounded, np.float32(-np.inf), dtype=np.float32), dtype, toward_zero=False)
    high = nearest(np.nextafter(rounded, np.float32(np.inf), dtype=np.float32), dtype, toward_zero=False)
    good = (np.isnan(got) & np.isnan(truth)) | ((got >= low) & (got <= high)) | (got == rounded)
    assert good.all(), (values(dtype)[~good][:5], got[~good][:5], truth[~good][:5])

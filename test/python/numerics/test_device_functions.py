"""The functions of CUDA's device library that are not formulas: classes, parts, roundings, integers and casts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from numerics.stretch import HOST, PORTABLE, Kernels, elementwise_kernel

LANES = 16
NUMPY: dict[str, Any] = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}

INT_MIN, INT_MAX = -(2**31), 2**31 - 1


def ilogb(x: float) -> int:
    if x == 0 or math.isnan(x):
        return INT_MIN
    return INT_MAX if math.isinf(x) else math.frexp(x)[1] - 1


def logb(x: float) -> float:
    if x == 0:
        return -math.inf
    return abs(x) if not math.isfinite(x) else float(math.frexp(x)[1] - 1)


def first_set(x: int) -> int:
    return (x & -x).bit_length()


def unsigned(x: Any, width: int = 32) -> int:
    return int(x) % (1 << width)


def signed(x: int, width: int = 32) -> int:
    return (x + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))


FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.7, -3.7, 1e-45, -1e-40, 1e30, -1e30, math.inf, -math.inf]
FLOATS += [math.nan, 0.49999997, 8388609.0, -7.25]
# Numbers that fit in an integer.
MODERATE = [x for x in FLOATS if math.isfinite(x) and abs(x) < 1e9]
INTEGERS = [0, 1, -1, 2, 7, -8, 255, 65536, INT_MAX, INT_MIN, 123456789, -987654321]
POWERS = [0, 1, -1, 5, -30, 127, -126, -149, 300, -300, 2000, -2000, INT_MAX, INT_MIN]

# symbol, operand types, result type, operands, reference
ROWS: list[tuple[str, str, str, list[list[Any]], Any]] = [
    ("isnanf", "f32", "i32", [FLOATS], lambda x: int(math.isnan(x))),
    ("isnand", "f64", "i32", [FLOATS], lambda x: int(math.isnan(x))),
    ("isinff", "f32", "i32", [FLOATS], lambda x: int(math.isinf(x))),
    ("isinfd", "f64", "i32", [FLOATS], lambda x: int(math.isinf(x))),
    ("finitef", "f32", "i32", [FLOATS], lambda x: int(math.isfinite(x))),
    ("isfinited", "f64", "i32", [FLOATS], lambda x: int(math.isfinite(x))),
    ("signbitf", "f32", "i32", [FLOATS], lambda x: int(np.signbit(np.float32(x)))),
    ("signbitd", "f64", "i32", [FLOATS], lambda x: int(np.signbit(x))),
    ("fabsf", "f32", "f32", [FLOATS], abs),
    ("floorf", "f32", "f32", [FLOATS], np.floor),
    ("ceil", "f64", "f64", [FLOATS], np.ceil),
    ("truncf", "f32", "f32", [FLOATS], np.trunc),
    ("rintf", "f32", "f32", [FLOATS], np.rint),
    ("nearbyint", "f64", "f64", [FLOATS], np.rint),
    ("roundf", "f32", "f32", [FLOATS], lambda x: math.copysign(np.floor(abs(float(x)) + 0.5), x)),
    ("llrintf", "f32", "i64", [MODERATE], lambda x: int(np.rint(x))),
    ("copysignf", "f32 f32", "f32", [FLOATS, FLOATS], lambda x, y: np.copysign(np.float32(x), np.float32(y))),
    ("nextafterf", "f32 f32", "f32", [FLOATS, FLOATS], lambda x, y: np.nextafter(np.float32(x), np.float32(y))),
    ("nextafter", "f64 f64", "f64", [FLOATS, FLOATS], np.nextafter),
    ("ldexpf", "f32 i32", "f32", [FLOATS, POWERS], lambda x, n: np.ldexp(np.float64(x), max(-3000, min(3000, n)))),
    ("ldexp", "f64 i32", "f64", [FLOATS, POWERS], lambda x, n: np.ldexp(x, n)),
    ("ilogbf", "f32", "i32", [FLOATS], ilogb),
    ("ilogb", "f64", "i32", [FLOATS], ilogb),
    ("logbf", "f32", "f32", [FLOATS], logb),
    ("fmaxf", "f32 f32", "f32", [FLOATS, FLOATS], np.fmax),
    ("fmin", "f64 f64", "f64", [FLOATS, FLOATS], np.fmin),
    ("fdimf", "f32 f32", "f32", [FLOATS, FLOATS], lambda x, y: 0.0 if x <= y else x - y),
    ("saturatef", "f32", "f32", [FLOATS], lambda x: 0.0 if math.isnan(x) else min(max(x, 0.0), 1.0)),
    ("fmaf", "f32 f32 f32", "f32", [[1.5, 2.0], [3.0, -1.0], [0.25, 1e30]], lambda x, y, z: x * y + z),
    ("powif", "f32 i32", "f32", [[0.5, -2.0, 3.0, -1.0], [0, 1, -3, 7, 16777217]], lambda x, n: np.float64(x) ** n),
    ("remainderf", "f32 f32", "f32", [[5.5, -7.0, 1.0], [2.0, 0.75, -3.0]], math.remainder),
    ("add_rn", "f32 f32", "f32", [[1.0, 3.0], [2.0, 1e-9]], lambda x, y: np.float32(x) + np.float32(y)),
    ("fmul_rn", "f32 f32", "f32", [[1.1, 3.0], [2.0, 1e-9]], lambda x, y: np.float32(x) * np.float32(y)),
    ("ddiv_rn", "f64 f64", "f64", [[1.0, 3.0], [3.0, 7.0]], lambda x, y: x / y),
    ("frcp_rn", "f32", "f32", [[3.0, -7.0]], lambda x: np.float32(1) / np.float32(x)),
    ("fast_fdividef", "f32 f32", "f32", [[1.0, 9.0], [3.0, 7.0]], lambda x, y: np.float32(x) / np.float32(y)),
    ("abs", "i32", "i32", [INTEGERS], lambda x: signed(abs(int(x)))),
    ("min", "i32 i32", "i32", [INTEGERS, INTEGERS], min),
    ("umax", "i32 i32", "i32", [INTEGERS, INTEGERS], lambda x, y: signed(max(unsigned(x), unsigned(y)))),
    ("mulhi", "i32 i32", "i32", [INTEGERS, INTEGERS], lambda x, y: (int(x) * int(y)) >> 32),
    ("umulhi", "i32 i32", "i32", [INTEGERS, INTEGERS], lambda x, y: signed((unsigned(x) * unsigned(y)) >> 32)),
    ("mul24", "i32 i32", "i32", [INTEGERS, INTEGERS], lambda x, y: signed(signed(int(x), 24) * signed(int(y), 24))),
    ("hadd", "i32 i32", "i32", [INTEGERS, INTEGERS], lambda x, y: (int(x) + int(y)) >> 1),
    ("urhadd", "i32 i32", "i32", [INTEGERS, INTEGERS], lambda x, y: signed((unsigned(x) + unsigned(y) + 1) >> 1)),
    ("clz", "i32", "i32", [INTEGERS], lambda x: 32 - unsigned(x).bit_length()),
    ("popc", "i32", "i32", [INTEGERS], lambda x: bin(unsigned(x)).count("1")),
    ("ffs", "i32", "i32", [INTEGERS], lambda x: first_set(unsigned(x))),
    ("ffsll", "i64", "i32", [[*INTEGERS, 1 << 40]], lambda x: first_set(unsigned(x, 64))),
    ("brev", "i32", "i32", [INTEGERS], lambda x: signed(int(f"{unsigned(x):032b}"[::-1], 2))),
    ("float2int_rn", "f32", "i32", [MODERATE], lambda x: int(np.rint(x))),
    ("float2int_rz", "f32", "i32", [MODERATE], int),
    ("float2int_ru", "f32", "i32", [MODERATE], math.ceil),
    ("double2ll_rd", "f64", "i64", [MODERATE], math.floor),
    ("float2uint_rz", "f32", "i32", [[0.0, 1.7, 4e9, 2147483648.0]], lambda x: signed(int(x))),
    ("double2ull_rn", "f64", "i64", [[0.0, 1.7, 1e19, 2.0**63]], lambda x: signed(int(np.rint(x)), 64)),
    ("int2float_rn", "i32", "f32", [INTEGERS], np.float32),
    ("uint2double_rn", "i32", "f64", [INTEGERS], lambda x: float(unsigned(x))),
    ("double2float_rn", "f64", "f32", [[0.1, 1e-46, 1e39]], np.float32),
    ("float_as_int", "f32", "i32", [FLOATS], lambda x: int(np.float32(x).view(np.int32))),
    ("int_as_float", "i32", "f32", [INTEGERS], lambda x: np.int32(x).view(np.float32)),
]


def body(symbol: str, operands: list[str], result: str) -> str:
    types = ", ".join(f"vector<{LANES}x{operand}>" for operand in operands)
    names = ", ".join(f"%x{i}" for i in range(len(operands)))
    attributes = f'{{libname = "", libpath = "", pure = true, symbol = "__nv_{symbol}"}}'
    return f"%y = tt.extern_elementwise {names} {attributes} : ({types}) -> vector<{LANES}x{result}>"


def kernel(symbol: str, operands: list[str], result: str) -> str:
    return elementwise_kernel(f"test_{symbol}", operands, result, LANES, body(symbol, operands, result))


@pytest.fixture(scope="module", params=[HOST, PORTABLE], ids=["host", "portable"])
def kernels(request):
    return Kernels([kernel(symbol, types.split(), result) for symbol, types, result, _, _ in ROWS], request.param)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_function_of_the_device_library(kernels, row):
    symbol, operands, result, values, meaning = row
    grid = [array.ravel() for array in np.meshgrid(*[np.arange(len(v)) for v in values])]
    size = (grid[0].size // LANES + 1) * LANES
    arrays = [
        np.resize(np.array([v[i] for i in indices], NUMPY[dtype]), size)
        for v, indices, dtype in zip(values, grid, operands.split(), strict=True)
    ]
    got = kernels.run(f"test_{symbol}", arrays, np.empty(size, NUMPY[result]))
    expected = np.array([meaning(*(array[i].item() for array in arrays)) for i in range(size)]).astype(NUMPY[result])
    np.testing.assert_array_equal(got, expected)

"""Data of arguments, as laid out in memory: a recipe and a seed determine it."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

from blockdsl.language import numerics, types

KINDS = {name: getattr(types, name) for name in (
    "int1", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "bfloat16", "float32",
    "float64", "float8e5", "float8e4nv", "float8e4b8", "float8e5b16",
)}  # fmt: skip
"""Element types by their names in ``tl``."""


def torch_name(kind: str) -> str:
    """Returns torch's name of a type. 8-bit floats are not arguments; they are stored as bytes."""
    return "uint8" if kind.startswith("float8") else "bool" if kind == "int1" else kind


INTEGER_RECIPES = ("ids", "small", "bits", "extremes", "zeros", "indices")
FLOAT_RECIPES = ("ids", "small", "dyadic", "specials", "bits")
BOOL_RECIPES = ("coins", "ones", "zeros", "one", "all but one")


def storage(kind: str) -> np.dtype[Any]:
    """Returns the NumPy type that holds an element's bits."""
    return numerics.storage(KINDS[kind])


def recipes(kind: str) -> tuple[str, ...]:
    """Returns the recipes for a type."""
    dtype = KINDS[kind]
    return BOOL_RECIPES if dtype.is_bool() else INTEGER_RECIPES if dtype.is_int() else FLOAT_RECIPES


def array_of(kind: str, recipe: str, seed: int, count: int) -> Any:
    """Returns an array of ``count`` elements as in memory."""
    choose = np.random.default_rng([zlib.crc32(recipe.encode()), seed])
    dtype = KINDS[kind]
    if dtype.is_bool():
        return _bools(choose, recipe, count)
    if dtype.is_int():
        return _integers(choose, recipe, count, storage(kind))
    if recipe == "bits":
        bits = choose.integers(0, 256, count * storage(kind).itemsize, np.uint8)
        return bits.view(storage(kind)).copy()
    with np.errstate(all="ignore"):
        return numerics.store(numerics.fit(_floats(choose, recipe, count, dtype), dtype), dtype)


def _bools(choose: Any, recipe: str, count: int) -> Any:
    if recipe == "coins":
        return choose.integers(0, 2, count).astype(np.uint8)
    values = np.full(count, recipe in ("ones", "all but one"), np.uint8)
    if recipe in ("one", "all but one"):
        values[choose.integers(0, count)] ^= 1
    return values


def _integers(choose: Any, recipe: str, count: int, kind: np.dtype[Any]) -> Any:
    info = np.iinfo(kind)
    if recipe == "ids":
        return np.arange(count).astype(kind)
    if recipe == "zeros":
        return np.zeros(count, kind)
    if recipe == "indices":
        return choose.integers(0, min(count, info.max), count).astype(kind)
    if recipe == "bits":
        return choose.integers(info.min, info.max, count, kind, endpoint=True)
    if recipe == "extremes":
        edges = [info.min, info.max, 0, 1, info.max - 1, info.min + 1, info.max // 2 + 1, *([-1] if info.min else [])]
        return np.array([int(edges[at]) for at in choose.integers(0, len(edges), count)], kind)
    return choose.integers(-8 if info.min else 0, 9, count).astype(kind)


def _floats(choose: Any, recipe: str, count: int, dtype: Any) -> Any:
    if recipe == "ids":
        return np.arange(count, dtype=np.float64) % 256
    small = choose.integers(-8, 9, count).astype(np.float64)
    if recipe == "dyadic":
        return small + choose.integers(0, 4, count) / 4
    if recipe == "specials":
        tiny, large = 2.0 ** -_BIAS[dtype.name], 2.0 ** (_BIAS[dtype.name] - 2)
        specials = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, tiny, -tiny, large, -large, 1.0])
        return np.where(choose.integers(0, 3, count) == 0, specials[choose.integers(0, specials.size, count)], small)
    return small


# The largest exponent of each type: two to its negative is denormal, or the smallest normal number.
_BIAS = {"fp16": 15, "bf16": 127, "fp32": 127, "fp64": 1023, "fp8e5": 15, "fp8e4nv": 7, "fp8e4b8": 7, "fp8e5b16": 15}

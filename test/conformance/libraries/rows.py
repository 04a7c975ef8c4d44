"""Rows of the libraries' tables: results of a library's function, against torch in 64 bits on the same values.

A row draws its inputs with the functions below. Inputs in 64 bits are cast to the type under test, and require
gradients if the row says so; others are passed unchanged. The reference gets the same values, floats in 64 bits.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

Tensor = torch.Tensor
Function = Callable[..., Any]

TOLERANCES = {
    torch.float64: (1e-9, 1e-9),
    torch.float32: (2e-5, 1e-4),
    torch.float16: (4e-3, 1e-2),
    torch.bfloat16: (3e-2, 3e-2),
}
"""Absolute, and relative to the reference."""

FLOATS = ("float32", "float16", "bfloat16")
SINGLE = ("float32",)


@dataclass(frozen=True)
class Row:
    """One operator. ``gradients`` also sends a random gradient back through both.

    ``scale`` widens the tolerances: those of 32 bits by as much, those of 16 bits at most twofold.
    """

    name: str
    library: Function
    reference: Function
    inputs: Callable[[], Sequence[Any]]
    gradients: bool = False
    types: tuple[str, ...] = FLOATS
    scale: float = 1.0


def normal(*shape: int) -> Tensor:
    return torch.randn(shape, dtype=torch.float64)


def uniform(*shape: int, low: float = 0.1, high: float = 2.0) -> Tensor:
    return torch.rand(shape, dtype=torch.float64) * (high - low) + low


def integers(low: int, high: int, *shape: int, dtype: torch.dtype = torch.int64) -> Tensor:
    return torch.randint(low, high, shape, dtype=dtype)


def booleans(*shape: int) -> Tensor:
    return torch.randint(0, 2, shape, dtype=torch.bool)


def check(row: Row, type_name: str) -> str:
    """Runs a row in one type; returns the first difference, or nothing."""
    dtype = getattr(torch, type_name)
    torch.manual_seed(zlib.crc32(row.name.encode()))
    drawn = list(row.inputs())
    arguments = [cast(value, dtype, row.gradients) for value in drawn]
    exact = [widen(value) for value in arguments]
    results, expected = flatten(row.library(*arguments)), flatten(row.reference(*exact))
    scale = row.scale if dtype == torch.float32 else min(row.scale, 2.0)
    absolute, relative = (scale * tolerance for tolerance in TOLERANCES[dtype])
    difference = compare(results, expected, absolute, relative)
    if difference or not row.gradients:
        return difference
    pairs = [pair for pair in zip(results, expected, strict=True) if pair[1].requires_grad]
    seeds = [torch.randn_like(reference) for _, reference in pairs]
    differentiable = [result for result, _ in pairs]
    torch.autograd.backward(differentiable, [seed.to(like) for seed, like in zip(seeds, differentiable, strict=True)])
    torch.autograd.backward([reference for _, reference in pairs], seeds)
    leaves = [(a, b) for a, b in zip(arguments, exact, strict=True) if isinstance(a, Tensor) and b.grad is not None]
    missing = [number for number, (leaf, _) in enumerate(leaves) if leaf.grad is None]
    if missing:
        return f"no gradient of input {missing[0]}"
    difference = compare([a.grad for a, _ in leaves], [b.grad for _, b in leaves], absolute, relative)
    return difference and f"gradient, {difference}"


def cast(value: Any, dtype: torch.dtype, gradients: bool) -> Any:
    """Returns a drawn value as the library's argument; tensors in lists, too."""
    if isinstance(value, (list, tuple)):
        return type(value)(cast(item, dtype, gradients) for item in value)
    if not isinstance(value, Tensor) or value.dtype != torch.float64:
        return value
    return value.to(dtype).requires_grad_(gradients)


def widen(value: Any) -> Any:
    """Returns a copy of the value in 64 bits."""
    if isinstance(value, (list, tuple)):
        return type(value)(widen(item) for item in value)
    if not isinstance(value, Tensor):
        return value
    copy = value.detach().clone()
    return copy.double().requires_grad_(value.requires_grad) if value.is_floating_point() else copy


def flatten(result: Any) -> list[Tensor]:
    if isinstance(result, (list, tuple)):
        return [tensor for item in result for tensor in flatten(item)]
    return [] if result is None else [torch.as_tensor(result)]


def compare(results: Sequence[Any], expected: Sequence[Any], absolute: float, relative: float) -> str:
    if len(results) != len(expected) or not results:
        return f"{len(results)} results, not {len(expected)}"
    for number, (result, reference) in enumerate(zip(results, expected, strict=True)):
        if result.shape != reference.shape:
            return f"result {number}: shape {tuple(result.shape)}, not {tuple(reference.shape)}"
        if result.is_floating_point() != reference.is_floating_point():
            return f"result {number}: {result.dtype}, not {reference.dtype}"
        is_float = result.is_floating_point()
        result, reference = result.detach().double(), reference.detach().double()
        is_close = (result - reference).abs() <= absolute + relative * reference.abs() if is_float else False
        wrong = ~((result == reference) | is_close | (result.isnan() & reference.isnan()))
        if wrong.any():
            index = int(wrong.flatten().nonzero()[0])
            values = f"{result.flatten()[index].item():.7g}, not {reference.flatten()[index].item():.7g}"
            return f"result {number}: element {index} is {values} ({int(wrong.sum())} of {wrong.numel()} differ)"
    return ""

"""Warnings for valid launches with a probable mistake. They are checked when a specialization key is new, never on
the path of a cached launch.

A kernel gets a tensor as the pointer to its first element. If the tensor is not contiguous, such as a transposed view
or every second column, the kernel needs its strides: from arguments, constants or a descriptor. If it has more than
2**31 elements, the kernel needs offsets of 64 bits.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from blockdsl.compiler.signature import Signature
from blockdsl.errors import LaunchWarning
from blockdsl.errors.source_locations import caller
from blockdsl.language.constexpr import unwrap
from blockdsl.launcher import arguments

if TYPE_CHECKING:
    from blockdsl.compiler.cpu_kernel import CPUKernel


@dataclass(frozen=True)
class Finding:
    """A warning about one parameter. Findings with equal kind and parameter are equal."""

    kind: str
    name: str
    text: str = field(compare=False)


def missing_strides(
    names: Sequence[str], values: Sequence[Any], attributes: Sequence[arguments.Attributes]
) -> Iterator[Finding]:
    """Yields the parameters with a tensor that is not contiguous and none of whose strides is among the arguments."""
    strided = [
        (name, value)
        for name, value, attribute in zip(names, values, attributes, strict=False)
        if isinstance(attribute, int)
        and attribute & arguments.KIND_MASK == arguments.TENSOR
        and attribute & arguments.STRIDED
    ]
    if not strided:
        return
    numbers = set(_numbers(values[: len(names)]))
    for name, value in strided:
        strides = _strides(value)
        if strides and numbers.isdisjoint(strides):
            yield Finding("strides", name,
                f"has shape {tuple(value.shape)} and strides {_all_strides(value)}, and no argument is one of these "
                f"strides: the kernel sees memory, not the view; pass the strides, or {name}.contiguous()")  # fmt: skip


def narrow_offsets(
    signature: Signature, kernel: CPUKernel, values: Sequence[Any], attributes: Sequence[arguments.Attributes]
) -> Iterator[Finding]:
    """Yields the parameters with a tensor of more than 2**31 elements whose offsets the kernel computes in 32 bits."""
    flat_arguments = arguments.flat(signature.names, signature.tuples, values, attributes)
    for (number, name), (value, attribute) in zip(signature.places, flat_arguments, strict=True):
        if attribute & arguments.FAR and number in kernel.narrow:
            location = kernel.narrow[number]
            where = location and f" at {kernel.locations.position(location)}"
            yield Finding("offsets", name,
                f"has shape {tuple(value.shape)}, and its offsets are computed in 32 bits{where}: beyond 2147483647 "
                "they wrap; widen what they are made of, as in tl.program_id(0).to(tl.int64)")  # fmt: skip


def warn(kernel: str, finding: Finding) -> None:
    """Issues a LaunchWarning at the line of the launch."""
    message = f"argument '{finding.name}' of kernel '{kernel}' {finding.text}"
    location = caller()
    if location is None:
        warnings.warn(message, LaunchWarning, stacklevel=2)
    else:
        warnings.warn_explicit(message, LaunchWarning, location.file, location.line)


def _all_strides(value: Any) -> tuple[int, ...]:
    if callable(getattr(value, "stride", None)):
        return tuple(value.stride())
    size = int(getattr(value, "itemsize", 1))
    return tuple(stride // size for stride in getattr(value, "strides", ()))


def _strides(value: Any) -> set[int]:
    """Returns the strides a kernel needs: that of the last of each group of mergeable dimensions, unless it is 1."""
    dims = [(size, stride) for size, stride in zip(value.shape, _all_strides(value), strict=True) if size != 1]
    merged: list[tuple[int, int]] = []
    for size, stride in dims:
        if merged and merged[-1][1] == size * stride:
            merged[-1] = (merged[-1][0] * size, stride)
        else:
            merged.append((size, stride))
    return {stride for _, stride in merged if stride != 1}


def _numbers(values: Sequence[Any]) -> Iterator[int]:
    for value in values:
        known = unwrap(value)
        if isinstance(known, tuple):
            yield from _numbers(known)
        elif hasattr(known, "__index__") and getattr(known, "shape", ()) == () and not hasattr(known, "stride"):
            yield operator.index(known)

"""Workaround for a peephole of LLVM's X86 backend: masks of signs and of lowest bits become bit tests.

AVX-512 has an instruction that makes a mask of the signs of a vector, and LLVM uses it for any mask of one bit of each
lane. If the mask is moved to a general register, the peephole replaces both instructions by an older one, which encodes
only the first sixteen vector registers and so reads the wrong one
(https://github.com/llvm/llvm-project/issues/191304), and it ignores further uses of the mask
(https://github.com/llvm/llvm-project/pull/198220). LLVM IR does not show whether a mask will be moved, so every mask of
one bit becomes a test of that bit, which is as fast. LLVM creates such masks while it simplifies others, so the
replacement is done in optimized LLVM IR. LLVM shuffles masks as vectors of signs, so shuffles are replaced, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count

_FUNCTION = re.compile(r"^define .*?^}", re.MULTILINE | re.DOTALL)
_MASK = re.compile(
    r"^  (%\S+) = (?:trunc (?:nuw |nsw )*<(\d+) x i(\d+)> (%\S+) to <\d+ x i1>"
    r"|icmp (?:samesign )?slt <(\d+) x i(\d+)> (%[^\s,]+), zeroinitializer)",
    re.MULTILINE,
)
_OPERAND = r"(%[^\s,]+|\w+|splat \(i1 \w+\)|<[^>]*>)"
_SHUFFLE = re.compile(
    rf"^  (%\S+) = shufflevector <(\d+) x i1> {_OPERAND}, <\d+ x i1> {_OPERAND}, <(\d+) x i32> (\w+|<[^>]*>)",
    re.MULTILINE,
)
_OF_ONE_CONDITION = re.compile(r"^  (%\S+) = insertelement <\d+ x i1> poison,", re.MULTILINE)


def tested(text: str) -> str:
    """Returns the text of an optimized module in which masks of lowest bits or signs are replaced by bit tests."""
    numbers = count()

    def mask(found: re.Match[str]) -> str:
        mask, *low, sign_lanes, sign_bits, signed = found.groups()
        lanes, bits, vector = (sign_lanes, sign_bits, signed) if signed else low
        kind, bit = f"<{lanes} x i{bits}>", -(1 << int(bits) - 1) if signed else 1
        of_interest = f"%tested.bit.{next(numbers)}"
        return (
            f"  {of_interest} = and {kind} {vector}, splat (i{bits} {bit})\n"
            f"  {mask} = icmp ne {kind} {of_interest}, zeroinitializer"
        )

    def function(found: re.Match[str]) -> str:
        body = _MASK.sub(mask, found[0])
        spread = set(_OF_ONE_CONDITION.findall(body))
        return _SHUFFLE.sub(lambda found: _moved(found, spread, numbers), body)

    return _FUNCTION.sub(function, text)


def _moved(shuffle: re.Match[str], spread: set[str], numbers: Iterator[int]) -> str:
    """Rewrites a shuffle of masks to one of vectors if LLVM would do so. ``spread`` are broadcast conditions."""
    mask, lanes, first, second, result_lanes, order = shuffle.groups()
    if (first in spread and order == "zeroinitializer") or _is_part(order, int(result_lanes), int(lanes)):
        return shuffle[0]
    bits = max(8, 128 // int(lanes))
    kind, result_kind = f"<{lanes} x i{bits}>", f"<{result_lanes} x i{bits}>"
    vectors = [f"%moved.lanes.{next(numbers)}" for _ in range(3)]
    return (
        f"  {vectors[0]} = sext <{lanes} x i1> {first} to {kind}\n"
        f"  {vectors[1]} = sext <{lanes} x i1> {second} to {kind}\n"
        f"  {vectors[2]} = shufflevector {kind} {vectors[0]}, {kind} {vectors[1]}, <{result_lanes} x i32> {order}\n"
        f"  {mask} = icmp ne {result_kind} {vectors[2]}, zeroinitializer"
    )


def _is_part(order: str, result_lanes: int, lanes: int) -> bool:
    """Returns whether lanes are a contiguous part of a mask, or both masks: mask instructions support these."""
    indices = re.findall(r"i32 (\w+)", order)
    starts = {int(index) - at for at, index in enumerate(indices) if index != "poison"}
    return len(starts) == 1 and (start := starts.pop()) % min(result_lanes, lanes) == 0 and start >= 0

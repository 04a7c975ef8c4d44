"""Workaround for a fault of LLVM's X86 instruction selection: operands of vector sums that LLVM itself creates.

Instruction selection adds small summands as bytes. If it detects late that they are small, it creates an illegal vector
type, and an assertion ends the process. AvoidLLVMFaults.cpp in lib/Conversion/ToLLVM handles the sums of our passes;
other sums exist only in optimized LLVM IR. Empty inline assembly hides the range of their operands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Any

_NAME = "llvm.vector.reduce.add."
_SUM = re.compile(
    rf"^( *\S+ = .*call .*)@{re.escape(_NAME)}v(\d+)i(\d+)\(<\d+ x i\d+> (?:noundef )?(%[^)]+)\)", re.MULTILINE
)


def made(module: Any) -> bool:
    """Returns whether an optimized llvmlite module contains a vector sum."""
    return any(function.name.startswith(_NAME) for function in module.functions)


def hidden(text: str, register: int) -> str:
    """Returns the text of an optimized module in which the operands of vector sums have unknown ranges.

    Args:
        text: The module as LLVM prints it.
        register: The width of a vector register in bits.
    """
    numbers = count()

    def replacement(found: re.Match[str]) -> str:
        call, lanes, bits, vector = found.groups()
        return "".join(_lines(call, int(lanes), int(bits), vector, register, numbers))

    return _SUM.sub(replacement, text)


def _lines(call: str, lanes: int, bits: int, vector: str, register: int, numbers: Iterator[int]) -> Iterator[str]:
    """Yields the lines of the hidden operand and of the sum, which ends in ``call``, without the last line's end."""

    def named(line: str) -> Iterator[str]:
        nonlocal vector
        vector = f"%sum.{next(numbers)}"
        yield f"  {vector} = {line}\n"

    while lanes * bits > register and lanes % 2 == 0:
        whole, kind, half = vector, f"<{lanes} x i{bits}>", lanes // 2
        halves = []
        for first in (0, half):
            picked = ", ".join(f"i32 {lane}" for lane in range(first, first + half))
            yield from named(f"shufflevector {kind} {whole}, {kind} poison, <{half} x i32> <{picked}>")
            halves.append(vector)
        lanes = half
        yield from named(f"add <{lanes} x i{bits}> {', '.join(halves)}")
    kind, size = f"<{lanes} x i{bits}>", lanes * bits
    if size in (128, 256, 512):
        yield from named(f'call {kind} asm "", "=x,0"({kind} {vector})')
    elif size == 64:
        yield from named(f"bitcast {kind} {vector} to i64")
        yield from named(f'call i64 asm "", "=r,0"(i64 {vector})')
        yield from named(f"bitcast i64 {vector} to {kind}")
    yield f"{call}@{_NAME}v{lanes}i{bits}({kind} {vector})"

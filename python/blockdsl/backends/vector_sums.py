"""Workaround for a fault of LLVM's X86 instruction selection: operands of vector sums that LLVM itself has made.

Instruction selection adds small summands as bytes. If it finds late that they are small, it makes a vector of a type
that no register holds, and an assertion ends the process. AvoidLLVMFaults.cpp in lib/Conversion/ToLLVM handles the sums
of our passes; these exist only in optimized LLVM IR. Empty inline assembly hides the range of their operands.
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
    """Whether an optimized module, llvmlite's, has any such sum."""
    return any(function.name.startswith(_NAME) for function in module.functions)


def hidden(text: str, register: int) -> str:
    """The text of an optimized module, with sums of vectors that nothing is known of.

    Args:
        text: What LLVM prints.
        register: Bits of the widest vector that there is a register for.
    """
    numbers = count()

    def taken(found: re.Match[str]) -> str:
        call, lanes, bits, vector = found.groups()
        return "".join(_lines(call, int(lanes), int(bits), vector, register, numbers))

    return _SUM.sub(taken, text)


def _lines(call: str, lanes: int, bits: int, vector: str, register: int, numbers: Iterator[int]) -> Iterator[str]:
    """The sum that ends in ``call`` and its operand, a line each but for the end of the last one."""

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

"""Peak of dot products of narrow types: this CPU's best instruction for them, in independent chains."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks import limits
from blockdsl.compiler.target import Target


@dataclass(frozen=True)
class Instruction:
    """``accumulator = name(extents..., accumulator, factor, factor)``, with two operations per product."""

    features: tuple[str, ...]
    name: str
    accumulator: str
    factor: str
    operations: int
    chains: int = 12

    @property
    def in_tiles(self) -> bool:
        return self.factor == "x86_amx"


def _tiles(feature: str, name: str, operations: int) -> Instruction:
    return Instruction(("+amx-tile", feature), f"llvm.x86.{name}.internal", "x86_amx", "x86_amx", operations, chains=6)


INSTRUCTIONS = {
    "int8": (
        _tiles("+amx-int8", "tdpbssd", 2 * 16 * 16 * 64),
        Instruction(
            ("+avx512vnni", "+avx512vl"), "llvm.x86.avx512.vpdpbusd.512", "<16 x i32>", "<64 x i8>", 2 * 64, 24
        ),
        Instruction(("+avxvnni",), "llvm.x86.avx512.vpdpbusd.256", "<8 x i32>", "<32 x i8>", 2 * 32),
    ),
    "bf16": (
        _tiles("+amx-bf16", "tdpbf16ps", 2 * 16 * 16 * 32),
        Instruction(("+avx512bf16",), "llvm.x86.avx512bf16.dpbf16ps.512", "<16 x float>", "<32 x bfloat>", 2 * 32, 24),
    ),
}
"""Instructions by the factors' type, the best first."""


def instruction(dtype: str) -> Instruction | None:
    """Returns the best instruction of this CPU; None if it has only multiply-add."""
    features = Target.host().features
    return next((op for op in INSTRUCTIONS[dtype] if all(name in features for name in op.features)), None)


def text_of(function: str, op: Instruction) -> str:
    """Returns the IR of a loop. Every chain starts from its own load, so that LLVM does not merge them; for tiles a
    product takes three registers."""
    numbers = range(op.chains)
    if op.in_tiles:
        extents, constants = "i16, i16, i16, ", "i16 16, i16 64, i16 64, "
        read = "call x86_amx @llvm.x86.tileloadd64.internal(i16 16, i16 64, ptr %out, i64 64)"
        write = "call void @llvm.x86.tilestored64.internal(i16 16, i16 64, ptr %out, i64 64, x86_amx {})"
        declarations = (
            "declare x86_amx @llvm.x86.tileloadd64.internal(i16, i16, ptr, i64)\n"
            "declare void @llvm.x86.tilestored64.internal(i16, i16, ptr, i64, x86_amx)"
        )
    else:
        extents = constants = declarations = ""
        read, write = (
            "load volatile {}, ptr %out, align 64",
            "store volatile " + op.accumulator + " {}, ptr %out",
        )
    lines = {
        "starts": [f"  %c{n} = {read.format(op.accumulator)}" for n in numbers],
        "phis": [f"  %a{n} = phi {op.accumulator} [ %c{n}, %entry ], [ %b{n}, %loop ]" for n in numbers],
        "steps": [
            f"  %b{n} = call {op.accumulator} @{op.name}({constants}{op.accumulator} %a{n}, "
            f"{op.factor} %x, {op.factor} %y)"
            for n in numbers
        ],
        "ends": [f"  {write.format(f'%b{n}')}" for n in numbers],
    }
    text = {name: "\n".join(parts) for name, parts in lines.items()}
    return f"""
declare {op.accumulator} @{op.name}({extents}{op.accumulator}, {op.factor}, {op.factor})
{declarations}
define void @{function}(ptr %out, i64 %n) {{
entry:
  %x = {read.format(op.factor)}
  %y = {read.format(op.factor)}
{text["starts"]}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{text["phis"]}
{text["steps"]}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
{text["ends"]}
  ret void
}}
"""


@functools.cache
def _loop(dtype: str) -> tuple[Callable[..., None], Instruction] | None:
    selected = instruction(dtype)
    if selected is None:
        return None
    kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
    return kind(limits.compile_text(f"peak_{dtype}", text_of(f"peak_{dtype}", selected))), selected


@functools.cache
def peak_operations(dtype: str, threads: int) -> float:
    """Returns operations per second on ``int8`` or ``bf16`` factors, two per product; those of f32 without an
    instruction."""
    loop_and_op = _loop(dtype)
    if loop_and_op is None:
        return limits.peak_flops(threads)
    loop, op = loop_and_op
    iterations, best = (1 << 16) if op.in_tiles else (1 << 19), 0.0

    def job() -> None:
        buffer = limits.aligned(512)
        loop(buffer.ctypes.data, iterations)

    for _ in range(limits.REPEATS):
        best = max(best, limits.calls_together([job] * threads) * op.operations * op.chains * iterations)
    return best

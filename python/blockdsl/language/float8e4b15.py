"""Conversions of `float8e4b15`, whose elements are bytes in the IR.

They are Triton's inline assembly, which the CPU's compiler reads. Blocks with fewer elements than the assembly takes at
once are converted by integer ops. The format is similar to the upper byte of a float16, whose exponent has five bits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .attributes import boolean, i32, string
from .numerics import Array, load, round_to
from .op import Emitter
from .tensor import tensor
from .types import dtype, float8e4b15, float16, uint8, uint16

_TO_HALF = (
    "{                                      \n"
    ".reg .b32 a<2>, b<2>;                  \n"
    "prmt.b32 a0, 0, $2, 0x5746;            \n"
    "and.b32 b0, a0, 0x7f007f00;            \n"
    "and.b32 b1, a0, 0x00ff00ff;            \n"
    "and.b32 a1, a0, 0x00800080;            \n"
    "shr.b32  b0, b0, 1;                    \n"
    "add.u32 b1, b1, a1;                    \n"
    "lop3.b32 $0, b0, 0x80008000, a0, 0xf8; \n"
    "shl.b32 $1, b1, 7;                     \n"
    "}                                      \n"
)
_FROM_HALF = """{
            .reg .pred p<4>;
            .reg .b32 a<2>, b<2>;
            .reg .b16 c<4>;
            .reg .b16 max_val_f16;
            .reg .b32 max_val_f16x2;
            mov.b16 max_val_f16,   0x3F00;
            mov.b32 max_val_f16x2, 0x3F003F00;
            and.b32 a0, $1, 0x7fff7fff;
            and.b32 a1, $2, 0x7fff7fff;min.f16x2 a0, a0, max_val_f16x2;
                  min.f16x2 a1, a1, max_val_f16x2;mad.lo.u32 a0, a0, 2, 0x00800080;
              mad.lo.u32 a1, a1, 2, 0x00800080;
              lop3.b32 b0, $1, 0x80008000, a0, 0xea;
              lop3.b32 b1, $2, 0x80008000, a1, 0xea;
              prmt.b32 $0, b0, b1, 0x7531;
              }"""
_PACK = 4
_LARGEST = 0x3F00
"""The bits of 1.75 as a float16, to which larger numbers and NaN are clamped."""


def _assembly(e: Emitter, text: str, constraints: str, x: tensor, to: dtype) -> tensor:
    given = {
        "asm_string": string(text),
        "constraints": string(constraints),
        "packed_element": i32(_PACK),
        "pure": boolean(True),
    }
    made: tensor = e.create("tt.elementwise_inline_asm", x, attributes=given, result=x.type.with_element_ty(to))
    return made


def _fills_registers(x: tensor) -> bool:
    return not x.shape or x.numel % _PACK == 0


def _integer(e: Emitter, name: str, x: tensor, number: int) -> Any:
    return e.create(name, x, e.constant(number, x.type))


def emit_to_half(e: Emitter, x: tensor) -> tensor:
    """Creates the conversion of float8e4b15 to float16, which is exact."""
    if _fills_registers(x):
        return _assembly(e, _TO_HALF, "=r,=r,r", x, float16)
    wide = e.create("arith.extui", x, result=x.type.with_element_ty(uint16))
    rest = _integer(e, "arith.shli", _integer(e, "arith.andi", wide, 0x7F), 7)
    sign = _integer(e, "arith.shli", _integer(e, "arith.andi", wide, 0x80), 8)
    half: tensor = e.create("tt.bitcast", e.create("arith.ori", rest, sign), result=x.type.with_element_ty(float16))
    return half


def emit_from_half(e: Emitter, x: tensor) -> tensor:
    """Creates the conversion of float16 to float8e4b15: to the nearest, ties away from zero, at most 1.75."""
    if _fills_registers(x):
        return _assembly(e, _FROM_HALF, "=r,r,r", x, float8e4b15)
    bits = e.create("tt.bitcast", x, result=x.type.with_element_ty(uint16))
    size = _integer(e, "arith.minui", _integer(e, "arith.andi", bits, 0x7FFF), _LARGEST)
    code = _integer(e, "arith.shrui", _integer(e, "arith.addi", size, 0x40), 7)
    sign = _integer(e, "arith.shli", _integer(e, "arith.shrui", bits, 15), 7)
    byte = e.create("arith.trunci", e.create("arith.ori", code, sign), result=x.type.with_element_ty(uint8))
    return tensor(byte.handle, x.type.with_element_ty(float8e4b15))


def from_float(values: Array) -> Array:
    """Converts to float8e4b15 in the interpreter, from float16, or from float32 truncated to float16."""
    halves = values if values.dtype == np.float16 else round_to(values, float16, toward_zero=True)
    # NaN becomes a number with its sign.
    bits = np.copysign(halves, values).astype(np.float16).view(np.uint16)
    codes = np.minimum(bits & 0x7FFF, _LARGEST) + 0x40 >> 7 | bits >> 15 << 7
    return load(codes.astype(np.uint8), float8e4b15)

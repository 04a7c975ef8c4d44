"""Inline assembly for CPUs: the contents of its registers of 32 bits, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .module import Machine, Node
from .op import OPS, Op, joined

BITS = 32
MASK = 0xFFFFFFFF


@dataclass(frozen=True)
class Step:
    """An instruction, with or without a predicate, and its destination first."""

    name: str
    operands: tuple[str, ...]
    guard: str = ""

    def text(self) -> str:
        return f"{'@' * bool(self.guard)}{self.guard}{' ' * bool(self.guard)}{self.name} {', '.join(self.operands)};"


def _signed(x: Any) -> Any:
    return x.astype(np.uint32).view(np.int32).astype(np.int64)


def _field(x: Any, position: Any, length: Any) -> Any:
    """Returns a field of bits from a position on, extended by zeros."""
    position, length = position & 255, length & 255
    moved = np.where(position < BITS, x >> np.minimum(position, BITS - 1), 0)
    return np.where(length < BITS, moved & ((1 << np.minimum(length, BITS)) - 1), moved)


def _signed_field(x: Any, position: Any, length: Any) -> Any:
    position, length = np.minimum(position & 255, BITS), np.minimum(length & 255, BITS)
    moved = _signed(x) >> position
    sign = np.where(length > 0, moved >> np.maximum(length - 1, 0) & 1, 0)
    low = (np.int64(1) << length) - 1
    return (moved & low) - sign * (low + 1)


def _insert(x: Any, y: Any, position: Any, length: Any) -> Any:
    mask = _field(np.full_like(x, MASK), np.zeros_like(x), length) << np.minimum(position & 255, BITS)
    return y & ~mask | x << np.minimum(position & 255, BITS) & mask


def _permute(x: Any, y: Any, selector: Any) -> Any:
    concatenated = x.astype(object) | y.astype(object) << BITS
    total = concatenated * 0
    for at in range(4):
        nibble = selector.astype(object) >> 4 * at & 15
        byte = concatenated >> 8 * (nibble & 7) & 255
        total = total | np.where(nibble >= 8, 255 * (byte >> 7), byte) << 8 * at
    return total.astype(np.int64)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add.u32": lambda x, y: x + y, "sub.s32": lambda x, y: x - y, "mul.lo.u32": lambda x, y: _low_product(x, y),
    "mad.lo.s32": lambda x, y, z: _low_product(x, y) + z, "neg.s32": lambda x: -x,
    "add.sat.s32": lambda x, y: np.clip(_signed(x) + _signed(y), -(2**31), 2**31 - 1),
    "sub.sat.s32": lambda x, y: np.clip(_signed(x) - _signed(y), -(2**31), 2**31 - 1),
    "and.b32": lambda x, y: x & y, "or.b32": lambda x, y: x | y, "xor.b32": lambda x, y: x ^ y, "not.b32": lambda x: ~x,
    "min.s32": lambda x, y: np.minimum(_signed(x), _signed(y)), "max.u32": np.maximum, "mov.b32": lambda x: x,
    "shl.b32": lambda x, y: np.where(y < BITS, x << np.minimum(y, BITS), 0),
    "shr.u32": lambda x, y: x >> np.minimum(y, BITS), "shr.s32": lambda x, y: _signed(x) >> np.minimum(y, BITS),
    "bfe.u32": _field, "bfe.s32": _signed_field, "bfi.b32": _insert, "prmt.b32": _permute,
    "selp.b32": lambda x, y, p: np.where(p, x, y),
}  # fmt: skip
COMPARISONS: dict[str, Callable[..., Any]] = {
    "setp.lt.s32": lambda x, y: _signed(x) < _signed(y), "setp.hs.u32": lambda x, y: x >= y,
    "setp.ne.b32": lambda x, y: x != y,
}  # fmt: skip
SOURCES = {name: 1 if name[:3] in ("neg", "not", "mov") else 2 for name in FUNCTIONS} | {
    "mad.lo.s32": 3, "bfe.u32": 3, "bfe.s32": 3, "bfi.b32": 4, "prmt.b32": 3, "selp.b32": 3,
}  # fmt: skip


def _low_product(x: Any, y: Any) -> Any:
    return (x.astype(np.uint32) * y.astype(np.uint32)).astype(np.int64)


def _registers(value: Any, pack: int, bits: int) -> Any:
    """Returns the register of each group of elements, the first element in the low bits."""
    lanes = value.reshape(-1, pack).view(f"u{value.dtype.itemsize}").astype(np.int64)
    return sum(lanes[:, at] << at * bits for at in range(pack))


def run(steps: list[Step], inputs: list[Any]) -> Any:
    """Returns the final contents of ``$0``."""
    registers: dict[str, Any] = {f"${at}": value for at, value in enumerate(inputs, 1)}
    registers |= {name: np.zeros_like(inputs[0]) for name in ("$0", "t0", "t1")}
    registers |= {name: np.zeros(inputs[0].shape, np.bool_) for name in ("p0", "p1")}

    def read(operand: str) -> Any:
        negated, operand = operand.startswith("!"), operand.removeprefix("!")
        value = registers[operand] if operand in registers else np.full_like(inputs[0], int(operand) & MASK)
        return ~value if negated else value

    for step in steps:
        target, *sources = step.operands
        values = [read(source) for source in sources]
        if step.name in COMPARISONS:
            result = COMPARISONS[step.name](*values)
        else:
            result = np.asarray(FUNCTIONS[step.name](*values)).astype(np.int64) & MASK
        registers[target] = np.where(read(step.guard), result, registers[target]) if step.guard else result
    return registers["$0"]


def _meaning(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    type, pack = node.results[0][1], node.attrs["pack"]
    registers = run(node.attrs["steps"], [_registers(np.asarray(value), pack, type.bits) for value in values])
    lanes = np.stack([registers >> at * type.bits & (1 << type.bits) - 1 for at in range(pack)], axis=1)
    return [lanes.astype(f"u{np.dtype(type.array)}").view(type.array).reshape(type.shape or ())]


def _text(node: Node) -> str:
    steps = " ".join(step.text() for step in node.attrs["steps"])
    asm = f"{{ .reg .b32 t<2>; .reg .pred p<2>; {steps} }}"
    constraints = ",".join(["=&r", *["r"] * len(node.operands)])
    attrs = f'constraints = "{constraints}", packed_element = {node.attrs["pack"]} : i32, pure = true'
    types = joined([str(type) for type in node.types])
    return f'tt.elementwise_inline_asm "{asm}" {{{attrs}}} {joined(node.operands)} : {types} -> {node.results[0][1]}'


OPS["tt.elementwise_inline_asm"] = Op(_text, _meaning)

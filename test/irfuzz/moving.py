"""Makes blocks, moves their elements, and multiplies them."""

from __future__ import annotations

from typing import Any

import numpy as np

from .arithmetic import unsigned
from .module import InvalidError, Node
from .op import OPS, Op, joined, pure, shaped
from .types import Type, round_to, to_memory


def literal(type: Type, value: Any) -> str:
    """A number, or nested lists of numbers."""
    if isinstance(value, list):
        return f"[{joined([literal(type, element) for element in value])}]"
    if type.element == "i1":
        return "true" if value else "false"
    if not (type.is_float or type.is_float8):
        return str(int(value))
    bits: bytes = to_memory(type.element, round_to(type.element, value))[0][::-1].tobytes()
    return "0x" + bits.hex().upper()


def _constant(node: Node) -> str:
    type, value = node.results[0][1], node.attrs["value"]
    if type.shape is None:
        return f"arith.constant {literal(type, value)}" + ("" if type.element == "i1" else f" : {type}")
    return f"arith.constant dense<{literal(type, value)}> : {type}"


def _constant_value(node: Node) -> Any:
    type = node.results[0][1]
    return np.broadcast_to(round_to(type.element, node.attrs["value"]), type.shape or ()).copy()


pure("arith.constant", _constant, _constant_value)


def _range_text(node: Node) -> str:
    start, type = node.attrs["start"], node.results[0][1]
    return f"tt.make_range {{end = {start + type.count} : i32, start = {start} : i32}} : {type}"


pure(
    "tt.make_range", _range_text,
    lambda node: node.attrs["start"] + np.arange(node.results[0][1].count, dtype=np.int32),
)  # fmt: skip
OPS["tt.get_program_id"] = Op(lambda node: "tt.get_program_id x : i32",
                              lambda machine, node, values, env: [np.int32(machine.memory.program)])  # fmt: skip
OPS["tt.get_num_programs"] = Op(lambda node: "tt.get_num_programs x : i32",
                                lambda machine, node, values, env: [np.int32(machine.module.programs)])  # fmt: skip
pure("tt.splat", shaped(), lambda a, node: np.full(node.results[0][1].shape, a))
pure("tt.unsplat", lambda node: f"tt.unsplat {node.operands[0]} : {node.types[0]}", lambda a, node: a.reshape(()))
pure("tt.broadcast", shaped(), lambda a, node: np.broadcast_to(a, node.results[0][1].shape))
pure("tt.expand_dims", shaped(lambda node: f" {{axis = {node.attrs['axis']} : i32}}"),
     lambda a, node: np.expand_dims(a, node.attrs["axis"]))  # fmt: skip
pure("tt.reshape", shaped(), lambda a, node: a.reshape(node.results[0][1].shape))
pure("tt.trans", shaped(lambda node: f" {{order = array<i32: {joined([str(i) for i in node.attrs['order']])}>}}"),
     lambda a, node: np.transpose(a, node.attrs["order"]))  # fmt: skip
pure("tt.join", shaped(), lambda a, b, node: np.stack([a, b], -1))
pure("tt.cat", shaped(), lambda a, b, node: np.concatenate([a, b]))
OPS["tt.split"] = Op(shaped(), lambda machine, node, values, env: [values[0][..., 0], values[0][..., 1]])


def _gather(source: Any, indices: Any, node: Node) -> Any:
    axis = node.attrs["axis"]
    if ((indices < 0) | (indices >= source.shape[axis])).any():
        raise InvalidError("an index outside of the axis")
    return np.take_along_axis(source, indices.astype(np.int64), axis)


pure("tt.gather", lambda node: (
    f"tt.gather {node.operands[0]}[{node.operands[1]}] {{axis = {node.attrs['axis']} : i32}} : "
    f"({node.types[0]}, {node.types[1]}) -> {node.results[0][1]}"), _gather)  # fmt: skip


def _histogram(*values: Any) -> Any:
    source, *mask, node = values
    type = node.results[0][1]
    counted = source[mask[0]] if mask else source
    counted = unsigned(counted)
    return np.bincount(counted[counted < type.count].astype(np.int64), minlength=type.count).astype(type.array)


pure("tt.histogram", shaped(), _histogram)


def _product(a: Any, b: Any, c: Any, node: Node) -> Any:
    if node.types[2].is_integer:
        return (a.astype(np.int64) @ b.astype(np.int64) + c).astype(c.dtype)
    wide = [x.astype(np.float64) for x in (a, b, c)]
    # Exact in any order, if every partial result is an integer that the type can represent.
    if (
        any((x != np.rint(x)).any() or np.isinf(x).any() for x in wide)
        or (np.abs(wide[0]) @ np.abs(wide[1]) + np.abs(wide[2]) >= 2**22).any()
    ):
        raise InvalidError("the order of a sum shows")
    return round_to(node.types[2].element, wide[0] @ wide[1] + wide[2])


pure("tt.dot", lambda node: (
    f"tt.dot {joined(node.operands)} : {node.types[0]} * {node.types[1]} -> {node.types[2]}"), _product)  # fmt: skip

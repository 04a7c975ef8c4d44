"""Accesses to memory: plain, atomic and through descriptors; and assertions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arithmetic import unsigned
from .module import InvalidError, Machine, Node
from .op import OPS, Op, joined
from .types import Descriptor, bytes_of, to_memory


def _load_text(node: Node) -> str:
    hints = "".join(f" {key} = {value}" for key, value in node.attrs.get("hints", {}).items())
    volatile = " {isVolatile = true}" if node.attrs.get("volatile") else ""
    return f"tt.load {joined(node.operands)}{hints}{volatile} : {node.types[0]}"


def _load(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    zero = np.zeros((), node.results[0][1].array)
    missing: list[Any] = [np.bool_(True), zero]
    address, mask, other = [*values, *missing[len(values) - 1 :]]
    return [machine.memory.load(node.results[0][1].element, address, mask, other)]


def _store(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    address, value, mask = [*values, np.bool_(True)][:3]
    machine.memory.store(node.types[1].element, address, value, mask)
    return []


OPS["tt.load"] = Op(_load_text, _load)
OPS["tt.store"] = Op(lambda node: f"tt.store {joined(node.operands)} : {node.types[0]}", _store)


def _assert(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    if not values[0].all():
        raise InvalidError("the assertion fails")
    return []


OPS["tt.assert"] = Op(lambda node: f'tt.assert {node.operands[0]}, "holds" : {node.types[0]}', _assert)


# Atomic --------------------------------------------------------------------------------------------------------------

UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda old, x: old + x, "and": lambda old, x: old & x, "or": lambda old, x: old | x,
    "xor": lambda old, x: old ^ x, "max": max, "min": min, "exch": lambda old, x: x,
    "umax": lambda old, x: max(old, x, key=unsigned), "umin": lambda old, x: min(old, x, key=unsigned),
    "inc": lambda old, x: old * 0 if unsigned(old) >= unsigned(x) else old + old.dtype.type(1),
    "dec": lambda old, x: x if old == 0 or unsigned(old) > unsigned(x) else old - old.dtype.type(1),
}  # fmt: skip
IN_ANY_ORDER = ("add", "and", "or", "xor", "max", "min", "umax", "umin")
FLOAT_UPDATES: dict[str, Callable[[Any, Any], Any]] = {"fadd": lambda old, x: old + x, "exch": UPDATES["exch"]}


def _update(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    address, value, mask = [*values, np.bool_(True)][:3]
    function = (UPDATES | FLOAT_UPDATES)[node.attrs["update"]]
    operand = value.reshape(-1)
    shared = node.attrs["update"] if node.attrs.get("shared") else ""
    element = node.types[1].element
    return [machine.memory.update(element, address, mask, lambda i, old: function(old, operand[i]), shared)]


def _exchange(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    address, compared, value = values
    element = node.types[1].element
    compared_bits, new_values = _bits_of(element, compared), value.reshape(-1)

    def exchanged(index: int, old: Any) -> Any:
        return new_values[index] if _bits_of(element, old)[0] == compared_bits[index] else old

    if node.types[1].is_float and np.isnan(compared).any():
        raise InvalidError("a NaN has many forms")
    return [machine.memory.update(element, address, np.bool_(True), exchanged)]


def _bits_of(element: str, value: Any) -> list[bytes]:
    return [row.tobytes() for row in to_memory(element, value)]


def _atomic_text(node: Node) -> str:
    update = f"{node.attrs['update']}, " if "update" in node.attrs else ""
    operands, result = joined([str(type) for type in node.types]), node.results[0][1]
    return f"{node.kind} {update}{node.attrs['how']}, {joined(node.operands)} : ({operands}) -> {result}"


OPS["tt.atomic_rmw"] = Op(_atomic_text, _update)
OPS["tt.atomic_cas"] = Op(_atomic_text, _exchange)
OPS["tt.atomic_load"] = Op(_atomic_text, _load)
OPS["tt.atomic_store"] = Op(
    lambda node: f"tt.atomic_store {node.attrs['how']}, {joined(node.operands)} : {node.types[0]}", _store
)

# Through descriptors -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class View:
    """The value of a tensor descriptor."""

    base: Any
    sizes: list[int]
    strides: list[int]
    padding: float

    def addresses(self, type: Descriptor, offsets: list[Any], rows: Any = None) -> tuple[Any, Any]:
        """Returns the addresses of a block, and which of them are in bounds; the first coordinate may be passed."""
        dims = [len(rows) if rows is not None else type.block[0], *type.block[1:]]
        lines = [np.arange(size, dtype=np.int64) for size in dims]
        starts = [0 if rows is not None and dim == 0 else int(offsets[dim]) for dim in range(len(dims))]
        if rows is not None:
            lines[0] = rows.astype(np.int64)
        at = np.meshgrid(*[start + line for start, line in zip(starts, lines, strict=True)], indexing="ij")
        in_bounds = np.ones(dims, np.bool_)
        address = np.full(dims, self.base, np.int64)
        for coordinate, size, stride in zip(at, self.sizes, self.strides, strict=True):
            in_bounds &= (coordinate >= 0) & (coordinate < size)
            address += coordinate * stride * bytes_of(type.element)
        return address, in_bounds


def _describe(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    base, *numbers = values
    rank = len(numbers) // 2
    padding = np.nan if node.attrs["padding"] == "nan" else 0
    return [View(base, [int(n) for n in numbers[:rank]], [int(n) for n in numbers[rank:]], padding)]


def _describe_text(node: Node) -> str:
    type, rank = node.results[0][1], len(node.operands) // 2
    assert isinstance(type, Descriptor)
    sizes, strides = joined(node.operands[1 : 1 + rank]), joined(node.operands[1 + rank :])
    padding = " {padding = 2 : i32}" if node.attrs["padding"] == "nan" else ""
    block = "x".join(map(str, type.block))
    operands = f"{node.operands[0]}, [{sizes}], [{strides}]{padding}"
    return f"{node.kind} {operands} : <{type.element}>, <{block}x{type.element}>"


def _described_load(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    type = node.types[0]
    assert isinstance(type, Descriptor)
    view, *offsets = values
    rows = offsets[0] if node.kind == "tt.descriptor_gather" else None
    address, in_bounds = view.item().addresses(type, offsets, rows)
    other = np.asarray(view.item().padding).astype(node.results[0][1].array)
    return [machine.memory.load(type.element, address, in_bounds, other)]


def _described_store(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    type = node.types[0]
    assert isinstance(type, Descriptor)
    view, *offsets, value = values
    rows = offsets[0] if node.kind == "tt.descriptor_scatter" else None
    address, in_bounds = view.item().addresses(type, offsets, rows)
    if node.kind != "tt.descriptor_reduce":
        machine.memory.store(type.element, address, value, in_bounds)
        return []
    function = UPDATES[node.attrs["update"]]
    machine.memory.update(type.element, address, in_bounds, lambda i, old: function(old, value.reshape(-1)[i]))
    return []


def _at(node: Node) -> str:
    addresses = node.operands[1 : len(node.operands) - (0 if node.results else 1)]
    return f"{node.operands[0]}[{joined(addresses)}]"


OPS["tt.make_tensor_descriptor"] = Op(_describe_text, _describe)
OPS["tt.descriptor_load"] = Op(
    lambda node: f"{node.kind} {_at(node)} : {node.types[0]} -> {node.results[0][1]}", _described_load
)
OPS["tt.descriptor_gather"] = Op(
    lambda node: f"{node.kind} {_at(node)} : ({joined([str(t) for t in node.types])}) -> {node.results[0][1]}",
    _described_load,
)
OPS["tt.descriptor_store"] = Op(
    lambda node: f"{node.kind} {_at(node)}, {node.operands[-1]} : {node.types[0]}, {node.types[-1]}", _described_store
)
OPS["tt.descriptor_reduce"] = Op(
    lambda node: (
        f"{node.kind} {node.attrs['update']}, {_at(node)}, {node.operands[-1]} : {node.types[0]}, {node.types[-1]}"
    ),
    _described_store,
)
OPS["tt.descriptor_scatter"] = Op(
    lambda node: f"{node.kind} {_at(node)}, {node.operands[-1]} : {joined([str(t) for t in node.types])}",
    _described_store,
)

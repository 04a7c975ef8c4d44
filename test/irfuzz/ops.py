"""The ops of random modules: what is written of each, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .module import InvalidError, Machine, Meaning, Node, lines_of
from .types import Type, bytes_of, from_memory, round_to, to_memory


@dataclass(frozen=True)
class Op:
    """How an op is written, and what it computes."""

    text: Callable[[Node], str | list[str]]
    meaning: Meaning


OPS: dict[str, Op] = {}

DEFINED_ONLY = True
"""Whether a module means nothing where LLVM leaves it open: a shift beyond the width, a float beyond an integer."""


def joined(names: Sequence[str]) -> str:
    return ", ".join(names)


def _plain(node: Node) -> str:
    """``op %a, %b : type``."""
    return f"{node.kind} {joined(node.operands)} : {node.results[0][1]}"


def _cast(word: str) -> Callable[[Node], str]:
    return lambda node: f"{node.kind} {joined(node.operands)} : {node.types[0]} {word} {node.results[0][1]}"


def _shaped(more: Callable[[Node], str] = lambda node: "") -> Callable[[Node], str]:
    return lambda node: (
        f"{node.kind} {joined(node.operands)}{more(node)} : {node.types[0]} -> {node.results[0][1]}"
    )  # fmt: skip


def pure(kind: str, text: Callable[[Node], str | list[str]], function: Callable[..., Any]) -> None:
    """An op that is a function of its operands, given the node last."""

    def meaning(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
        return [function(*values, node)]

    OPS[kind] = Op(text, meaning)


def unsigned(value: Any) -> Any:
    value = np.asarray(value)
    return value.view(f"u{value.dtype}") if value.dtype.kind == "i" else value


def _fit(function: Callable[..., Any]) -> Callable[..., Any]:
    """The result as the type holds it: integers wrap, floats are rounded once."""

    def fitted(*values: Any) -> Any:
        *operands, node = values
        type = node.results[0][1]
        result = function(*operands)
        if type.element == "i1":
            return np.asarray(result, np.bool_)
        if not type.is_float and np.asarray(result).dtype.kind == "u":
            return np.asarray(result).astype(f"u{np.dtype(type.array)}").view(type.array)
        return round_to(type.element, result)

    return fitted


# Arithmetic ----------------------------------------------------------------------------------------------------------


def divide(a: Any, b: Any) -> Any:
    """Towards zero; by zero it gives zero."""
    safe = np.where(b == 0, 1, b).astype(b.dtype)
    quotient = a // safe
    quotient = quotient + ((a - quotient * safe != 0) & ((a < 0) != (safe < 0)))
    return np.where(b == 0, 0, quotient).astype(a.dtype)


def remainder(a: Any, b: Any) -> Any:
    """What is left of a division; by zero it is zero."""
    return np.where(b == 0, 0, a - divide(a, b) * b).astype(a.dtype)


def _high(a: Any, b: Any) -> Any:
    bits = a.dtype.itemsize * 8
    wide = unsigned(a).astype(object) * unsigned(b).astype(object)
    return np.asarray(wide >> bits, object).astype(unsigned(a).dtype).reshape(a.shape)


def _shift(function: Callable[..., Any], beyond: Callable[[Any], Any]) -> Callable[..., Any]:
    """A shift by the width or more is one by all bits."""

    def shifted(a: Any, b: Any) -> Any:
        bits = a.dtype.itemsize * 8
        inside = unsigned(b) < bits
        if DEFINED_ONLY and not inside.all():
            raise InvalidError("a shift by more than the width")
        return np.where(inside, function(a, np.where(inside, b, 0).astype(a.dtype)), beyond(a)).astype(a.dtype)

    return shifted


def _with_nan(function: Callable[..., Any]) -> Callable[..., Any]:
    """A maximum or minimum. Which of two zeros it gives is open."""

    def chosen(a: Any, b: Any) -> Any:
        if ((a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))).any():
            raise InvalidError("zeros of both signs")
        return function(a, b)

    return chosen


BITS: dict[str, Any] = {"arith.andi": np.bitwise_and, "arith.ori": np.bitwise_or, "arith.xori": np.bitwise_xor}
RING: dict[str, Any] = {"arith.addi": np.add, "arith.subi": np.subtract, "arith.muli": np.multiply}
ORDER: dict[str, Any] = {
    "arith.maxsi": np.maximum, "arith.minsi": np.minimum,
    "arith.maxui": lambda a, b: np.maximum(unsigned(a), unsigned(b)),
    "arith.minui": lambda a, b: np.minimum(unsigned(a), unsigned(b)),
}  # fmt: skip
DIVISIONS: dict[str, Any] = {
    "arith.divsi": divide, "arith.remsi": remainder,
    "arith.divui": lambda a, b: divide(unsigned(a), unsigned(b)),
    "arith.remui": lambda a, b: remainder(unsigned(a), unsigned(b)),
}  # fmt: skip
SHIFTS: dict[str, Any] = {
    "arith.shli": _shift(np.left_shift, np.zeros_like),
    "arith.shrsi": _shift(np.right_shift, lambda a: np.where(a < 0, -1, 0)),
    "arith.shrui": _shift(lambda a, b: np.right_shift(unsigned(a), unsigned(b)).view(a.dtype), np.zeros_like),
}
FLOAT_RING: dict[str, Any] = {"arith.addf": np.add, "arith.subf": np.subtract, "arith.mulf": np.multiply}
FLOAT_ORDER: dict[str, Any] = {
    "arith.maximumf": _with_nan(np.maximum), "arith.minimumf": _with_nan(np.minimum),
    "arith.maxnumf": _with_nan(np.fmax), "arith.minnumf": _with_nan(np.fmin),
}  # fmt: skip

for _kind, _function in {**BITS, **RING, **ORDER, **DIVISIONS, **SHIFTS, **FLOAT_RING, **FLOAT_ORDER}.items():
    pure(_kind, _plain, _fit(_function))
pure("tt.mulhiui", _plain, _fit(_high))
pure("tt.precise_divf", _plain, _fit(np.divide))
pure("tt.precise_sqrt", _plain, _fit(np.sqrt))
pure("arith.negf", _plain, _fit(np.negative))
pure("math.absf", _plain, _fit(np.abs))
pure("math.absi", _plain, _fit(np.abs))
pure("math.floor", _plain, _fit(np.floor))
pure("math.ceil", _plain, _fit(np.ceil))


def _wrap_bool(function: Any) -> Any:
    """i1 is a ring of its own: a sum is an exclusive or."""
    table = {np.add: np.logical_xor, np.subtract: np.logical_xor, np.multiply: np.logical_and}
    return lambda a, b: table[function](a, b) if a.dtype == np.bool_ else function(a, b)


for _kind, _function in RING.items():
    pure(_kind, _plain, _fit(_wrap_bool(_function)))

CMPI: dict[str, Any] = {
    "eq": np.equal, "ne": np.not_equal, "slt": np.less, "sle": np.less_equal, "sgt": np.greater,
    "sge": np.greater_equal, "ult": lambda a, b: unsigned(a) < unsigned(b),
    "ule": lambda a, b: unsigned(a) <= unsigned(b), "ugt": lambda a, b: unsigned(a) > unsigned(b),
    "uge": lambda a, b: unsigned(a) >= unsigned(b),
}  # fmt: skip
_nan: Any = lambda a, b: np.isnan(a) | np.isnan(b)  # noqa: E731
CMPF: dict[str, Any] = {
    "oeq": lambda a, b: a == b, "ogt": lambda a, b: a > b, "oge": lambda a, b: a >= b, "olt": lambda a, b: a < b,
    "ole": lambda a, b: a <= b, "one": lambda a, b: (a != b) & ~_nan(a, b), "ord": lambda a, b: ~_nan(a, b),
    "ueq": lambda a, b: (a == b) | _nan(a, b), "ugt": lambda a, b: ~(a <= b), "uge": lambda a, b: ~(a < b),
    "ult": lambda a, b: ~(a >= b), "ule": lambda a, b: ~(a > b), "une": lambda a, b: a != b, "uno": _nan,
}  # fmt: skip


def _compare(node: Node) -> str:
    return f"{node.kind} {node.more['predicate']}, {joined(node.operands)} : {node.types[0]}"


pure("arith.cmpi", _compare, lambda a, b, node: np.asarray(CMPI[node.more["predicate"]](a, b)))
pure("arith.cmpf", _compare, lambda a, b, node: np.asarray(CMPF[node.more["predicate"]](a, b)))


def _select(node: Node) -> str:
    condition, result = node.types[0], node.results[0][1]
    return f"arith.select {joined(node.operands)} : {f'{condition}, ' if condition.shape else ''}{result}"


pure("arith.select", _select, lambda c, a, b, node: np.where(c, a, b))

# Conversions ---------------------------------------------------------------------------------------------------------


def _to_integer(value: Any, node: Node) -> Any:
    """Towards zero; what is too large is the largest there is, and NaN is zero."""
    type, wide = node.results[0][1], np.asarray(value, np.float64)
    signed = node.kind == "arith.fptosi"
    low, high = (-(2 ** (type.bits - 1)), 2 ** (type.bits - 1) - 1) if signed else (0, 2**type.bits - 1)

    if DEFINED_ONLY and not ((wide > low - 1) & (wide < high + 1)).all():
        raise InvalidError("out of the integer's range")

    def one(x: float) -> int:
        return 0 if x != x else low if x <= low else high if x >= high else int(x)

    exact = np.array([one(x) & (2**type.bits - 1) for x in wide.reshape(-1).tolist()], np.uint64).reshape(wide.shape)
    return exact.astype(f"u{np.dtype(type.array)}").view(type.array)


def _bits(value: Any, node: Node) -> Any:
    if node.types[0].is_float and np.isnan(value).any():
        raise InvalidError("a NaN has many forms")
    rows = to_memory(node.types[0].element, value)
    return from_memory(node.results[0][1].element, rows).reshape(np.shape(value))


pure("arith.extsi", _cast("to"), lambda a, node: (-a.astype(np.int8) if a.dtype == np.bool_ else a).astype(
    node.results[0][1].array))  # fmt: skip
pure("arith.extui", _cast("to"), lambda a, node: unsigned(a).astype(node.results[0][1].array))
pure("arith.trunci", _cast("to"), lambda a, node: (
    (a & 1 if node.results[0][1].element == "i1" else a).astype(node.results[0][1].array)))  # fmt: skip
pure("arith.sitofp", _cast("to"), lambda a, node: round_to(
    node.results[0][1].element, -a.astype(np.int8) if a.dtype == np.bool_ else a))  # fmt: skip
pure("arith.uitofp", _cast("to"), lambda a, node: round_to(node.results[0][1].element, unsigned(a)))
pure("arith.fptosi", _cast("to"), _to_integer)
pure("arith.fptoui", _cast("to"), _to_integer)
pure("arith.extf", _cast("to"), lambda a, node: round_to(node.results[0][1].element, a))
pure("arith.truncf", _cast("to"), lambda a, node: round_to(node.results[0][1].element, a))
pure("arith.bitcast", _cast("to"), _bits)
pure("tt.bitcast", _cast("->"), lambda a, node: a if node.types[0].is_pointer else _bits(a, node))
# An address is a number, and the same number in any memory: what is made of it has to be an address again.
pure("tt.ptr_to_int", _cast("->"), lambda a, node: a)
pure("tt.int_to_ptr", _cast("->"), lambda a, node: a)
pure("tt.addptr", lambda node: f"tt.addptr {joined(node.operands)} : {node.types[0]}, {node.types[1]}",
     lambda p, i, node: p + i.astype(np.int64) * bytes_of(node.types[0].element[1:]))  # fmt: skip

# Making and moving ---------------------------------------------------------------------------------------------------


def literal(type: Type, value: Any) -> str:
    """A number, or nested lists of numbers."""
    if isinstance(value, list):
        return f"[{joined([literal(type, one) for one in value])}]"
    if type.element == "i1":
        return "true" if value else "false"
    if not type.is_float:
        return str(int(value))
    bits: bytes = to_memory(type.element, round_to(type.element, value))[0][::-1].tobytes()
    return "0x" + bits.hex().upper()


def _constant(node: Node) -> str:
    type, value = node.results[0][1], node.more["value"]
    if type.shape is None:
        return f"arith.constant {literal(type, value)}" + ("" if type.element == "i1" else f" : {type}")
    return f"arith.constant dense<{literal(type, value)}> : {type}"


def _constant_value(node: Node) -> Any:
    type = node.results[0][1]
    return np.broadcast_to(round_to(type.element, node.more["value"]), type.shape or ()).copy()


pure("arith.constant", _constant, _constant_value)
pure("tt.make_range", lambda node: (
    f"tt.make_range {{end = {node.more['start'] + node.results[0][1].count} : i32, start = {node.more['start']} : i32}}"
    f" : {node.results[0][1]}"),
    lambda node: node.more["start"] + np.arange(node.results[0][1].count, dtype=np.int32))  # fmt: skip
OPS["tt.get_program_id"] = Op(lambda node: "tt.get_program_id x : i32",
                              lambda machine, node, values, env: [np.int32(machine.memory.program)])  # fmt: skip
OPS["tt.get_num_programs"] = Op(lambda node: "tt.get_num_programs x : i32",
                                lambda machine, node, values, env: [np.int32(machine.module.programs)])  # fmt: skip
pure("tt.splat", _shaped(), lambda a, node: np.full(node.results[0][1].shape, a))
pure("tt.unsplat", lambda node: f"tt.unsplat {node.operands[0]} : {node.types[0]}", lambda a, node: a.reshape(()))
pure("tt.broadcast", _shaped(), lambda a, node: np.broadcast_to(a, node.results[0][1].shape))
pure("tt.expand_dims", _shaped(lambda node: f" {{axis = {node.more['axis']} : i32}}"),
     lambda a, node: np.expand_dims(a, node.more["axis"]))  # fmt: skip
pure("tt.reshape", _shaped(), lambda a, node: a.reshape(node.results[0][1].shape))
pure("tt.trans", _shaped(lambda node: f" {{order = array<i32: {joined([str(i) for i in node.more['order']])}>}}"),
     lambda a, node: np.transpose(a, node.more["order"]))  # fmt: skip
pure("tt.join", _shaped(), lambda a, b, node: np.stack([a, b], -1))
pure("tt.cat", _shaped(), lambda a, b, node: np.concatenate([a, b]))
OPS["tt.split"] = Op(_shaped(), lambda machine, node, values, env: [values[0][..., 0], values[0][..., 1]])


def _gather(source: Any, places: Any, node: Node) -> Any:
    axis = node.more["axis"]
    if ((places < 0) | (places >= source.shape[axis])).any():
        raise InvalidError("an index outside of the axis")
    return np.take_along_axis(source, places.astype(np.int64), axis)


pure("tt.gather", lambda node: (
    f"tt.gather {node.operands[0]}[{node.operands[1]}] {{axis = {node.more['axis']} : i32}} : "
    f"({node.types[0]}, {node.types[1]}) -> {node.results[0][1]}"), _gather)  # fmt: skip


def _histogram(*values: Any) -> Any:
    source, *mask, node = values
    type = node.results[0][1]
    taken = source[mask[0]] if mask else source
    taken = unsigned(taken)
    return np.bincount(taken[taken < type.count].astype(np.int64), minlength=type.count).astype(type.array)


pure("tt.histogram", _shaped(), _histogram)


def _product(a: Any, b: Any, c: Any, node: Node) -> Any:
    if node.types[2].is_integer:
        return (a.astype(np.int64) @ b.astype(np.int64) + c).astype(c.dtype)
    wide = [x.astype(np.float64) for x in (a, b, c)]
    # Exact in any order, if everything on the way is an integer that the type holds.
    if (
        any((x != np.rint(x)).any() or np.isinf(x).any() for x in wide)
        or (np.abs(wide[0]) @ np.abs(wide[1]) + np.abs(wide[2]) >= 2**22).any()
    ):
        raise InvalidError("the order of a sum shows")
    return round_to(node.types[2].element, wide[0] @ wide[1] + wide[2])


pure("tt.dot", lambda node: (
    f"tt.dot {joined(node.operands)} : {node.types[0]} * {node.types[1]} -> {node.types[2]}"), _product)  # fmt: skip

# Memory --------------------------------------------------------------------------------------------------------------


def _load_text(node: Node) -> str:
    hints = "".join(f" {key} = {value}" for key, value in node.more.get("hints", {}).items())
    volatile = " {isVolatile = true}" if node.more.get("volatile") else ""
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

# Functions on elements -----------------------------------------------------------------------------------------------


def _region_lines(node: Node, end: str, types: Sequence[Type]) -> list[str]:
    region = node.regions[0]
    arguments = joined([f"{name}: {type}" for name, type in region.arguments])
    result = joined([str(type) for type in types])
    return [f"^bb0({arguments}):", *lines_of(region.body, 1), f"  {end} {joined(region.results)} : {result}"]


def _combining(attributes: Callable[[Node], str]) -> Callable[[Node], list[str]]:
    def text(node: Node) -> list[str]:
        end = f"{node.kind}.return"
        elements = [type.scalar() for _, type in node.results]
        tail = f"}}) : ({joined([str(t) for t in node.types])}) -> ({joined([str(t) for _, t in node.results])})"
        head = f'"{node.kind}"({joined(node.operands)}) <{{{attributes(node)}}}> ({{'
        return [head, *_region_lines(node, end, elements), tail]

    return text


def _combine(machine: Machine, node: Node, left: list[Any], right: list[Any], env: dict[str, Any]) -> list[Any]:
    return machine.run_on_elements(node.regions[0], [*left, *right], env)


def _reduce(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    parts = [np.moveaxis(value, node.more["axis"], 0) for value in values]
    while len(parts[0]) > 1:
        parts = _combine(machine, node, [part[0::2] for part in parts], [part[1::2] for part in parts], env)
    return [part[0] for part in parts]


def _scan(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    parts = [np.moveaxis(value, node.more["axis"], 0) for value in values]
    step = slice(None, None, -1 if node.more["reverse"] else 1)
    parts = [part[step] for part in parts]
    lines = [[part[0]] for part in parts]
    for place in range(1, len(parts[0])):
        now = _combine(machine, node, [line[-1] for line in lines], [part[place] for part in parts], env)
        for line, value in zip(lines, now, strict=True):
            line.append(value)
    return [np.moveaxis(np.stack(line)[step], 0, node.more["axis"]) for line in lines]


def _axis(node: Node) -> str:
    return f"axis = {node.more['axis']} : i32"


OPS["tt.reduce"] = Op(_combining(_axis), _reduce)
OPS["tt.scan"] = Op(
    _combining(lambda node: f"{_axis(node)}, reverse = {'true' if node.more['reverse'] else 'false'}"), _scan
)
OPS["tt.map_elementwise"] = Op(
    _combining(lambda node: "pack = 1 : i32"),
    lambda machine, node, values, env: machine.run_on_elements(node.regions[0], values, env),
)

# Flow ----------------------------------------------------------------------------------------------------------------


def _call_text(node: Node) -> str:
    types = joined([str(type) for type in node.types])
    return f"tt.call @{node.more['function']}({joined(node.operands)}) : ({types}) -> ({_given(node)})"


def _given(node: Node) -> str:
    return joined([str(type) for _, type in node.results])


def _call(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    return machine.run(machine.module.functions[node.more["function"]], values, {})


def _yield(node: Node, region: int) -> str:
    names = node.regions[region].results
    return f"  scf.yield {joined(names)} : {_given(node)}" if names else "  scf.yield"


def _for_text(node: Node) -> list[str]:
    body = node.regions[0]
    (variable, kind), *carried = body.arguments
    first, last, step, *inits = node.operands
    pairs = joined([f"{name} = {init}" for (name, _), init in zip(carried, inits, strict=True)])
    also = f" iter_args({pairs}) -> ({_given(node)})" if carried else ""
    head = f"scf.for {variable} = {first} to {last} step {step}{also} : {kind} {{"
    return [head, *lines_of(body.body, 1), _yield(node, 0), "}"]


def _for(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    first, last, step, *carried = values
    if step <= 0:
        raise InvalidError("a step that is none")
    for turn in range(int(first), int(last), int(step)):
        carried = machine.run(node.regions[0], [first.dtype.type(turn), *carried], dict(env))
    return carried


def _if_text(node: Node) -> list[str]:
    arrow = f" -> ({_given(node)})" if node.results else ""
    lines = [f"scf.if {node.operands[0]}{arrow} {{", *lines_of(node.regions[0].body, 1), _yield(node, 0)]
    return [*lines, "} else {", *lines_of(node.regions[1].body, 1), _yield(node, 1), "}"]


def _if(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    if np.ndim(values[0]):
        # In a function on elements: both ways, then one of them for each.
        ways = [machine.run(region, [], dict(env)) for region in node.regions]
        return [np.where(values[0], a, b) for a, b in zip(*ways, strict=True)]
    return machine.run(node.regions[0 if values[0] else 1], [], dict(env))


def _while_text(node: Node) -> list[str]:
    before, after = node.regions
    pairs = joined([f"{name} = {init}" for (name, _), init in zip(before.arguments, node.operands, strict=True)])
    types = joined([str(type) for type in node.types])
    condition, *passed = before.results
    arguments = joined([f"{name}: {type}" for name, type in after.arguments])
    return [
        f"scf.while ({pairs}) : ({types}) -> ({_given(node)}) {{", *lines_of(before.body, 1),
        f"  scf.condition({condition}) {joined(passed)} : {_given(node)}", "} do {", f"^bb0({arguments}):",
        *lines_of(after.body, 1), f"  scf.yield {joined(after.results)} : {types}", "}",
    ]  # fmt: skip


def _while(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    for _ in range(64):
        condition, *passed = machine.run(node.regions[0], values, dict(env))
        if not condition:
            return passed
        values = machine.run(node.regions[1], passed, dict(env))
    raise InvalidError("turns without end")


OPS["tt.call"] = Op(_call_text, _call)
OPS["scf.for"] = Op(_for_text, _for)
OPS["scf.if"] = Op(_if_text, _if)
OPS["scf.while"] = Op(_while_text, _while)

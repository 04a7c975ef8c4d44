"""Ops with bodies: functions on elements, loops and branches; and calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .arithmetic import unsigned
from .module import InvalidError, Machine, Node, lines_of
from .op import OPS, Op, joined
from .types import Type

MOST_TURNS = 64


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


def _combine(machine: Machine, node: Node, lhs: list[Any], rhs: list[Any], env: dict[str, Any]) -> list[Any]:
    return machine.run_on_elements(node.regions[0], [*lhs, *rhs], env)


def _reduce(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    arrays = [np.moveaxis(value, node.attrs["axis"], 0) for value in values]
    while len(arrays[0]) > 1:
        arrays = _combine(machine, node, [array[0::2] for array in arrays], [array[1::2] for array in arrays], env)
    return [array[0] for array in arrays]


def _scan(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    arrays = [np.moveaxis(value, node.attrs["axis"], 0) for value in values]
    step = slice(None, None, -1 if node.attrs["reverse"] else 1)
    arrays = [array[step] for array in arrays]
    lines = [[array[0]] for array in arrays]
    for position in range(1, len(arrays[0])):
        now = _combine(machine, node, [line[-1] for line in lines], [array[position] for array in arrays], env)
        for line, value in zip(lines, now, strict=True):
            line.append(value)
    return [np.moveaxis(np.stack(line)[step], 0, node.attrs["axis"]) for line in lines]


def _axis(node: Node) -> str:
    return f"axis = {node.attrs['axis']} : i32"


OPS["tt.reduce"] = Op(_combining(_axis), _reduce)
OPS["tt.scan"] = Op(
    _combining(lambda node: f"{_axis(node)}, reverse = {'true' if node.attrs['reverse'] else 'false'}"), _scan
)
OPS["tt.map_elementwise"] = Op(
    _combining(lambda node: "pack = 1 : i32"),
    lambda machine, node, values, env: machine.run_on_elements(node.regions[0], values, env),
)

# Flow ----------------------------------------------------------------------------------------------------------------


def _call_text(node: Node) -> str:
    types = joined([str(type) for type in node.types])
    return f"tt.call @{node.attrs['function']}({joined(node.operands)}) : ({types}) -> ({_result_types(node)})"


def _result_types(node: Node) -> str:
    return joined([str(type) for _, type in node.results])


def _call(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    return machine.run(machine.module.functions[node.attrs["function"]], values, {})


def _yield(node: Node, region: int) -> str:
    names = node.regions[region].results
    return f"  scf.yield {joined(names)} : {_result_types(node)}" if names else "  scf.yield"


def _for_text(node: Node) -> list[str]:
    body = node.regions[0]
    (variable, kind), *carried = body.arguments
    first, last, step, *inits = node.operands
    pairs = joined([f"{name} = {init}" for (name, _), init in zip(carried, inits, strict=True)])
    also = f" iter_args({pairs}) -> ({_result_types(node)})" if carried else ""
    compared = " unsigned" if node.attrs.get("unsigned") else ""
    head = f"scf.for{compared} {variable} = {first} to {last} step {step}{also} : {kind} {{"
    return [head, *lines_of(body.body, 1), _yield(node, 0), "}"]


def _for(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    first, last, step, *carried = values
    kind = first.dtype
    if node.attrs.get("unsigned"):
        first, last, step = (unsigned(bound) for bound in (first, last, step))
    if step > 0 and int(last) - int(first) > int(step) * MOST_TURNS:
        raise InvalidError("runs for too long")
    iterations = range(int(first), int(last), int(step)) if step > 0 else ()
    for iteration in iterations:
        carried = machine.run(node.regions[0], [np.asarray(iteration, first.dtype).view(kind), *carried], dict(env))
    return carried


def _if_text(node: Node) -> list[str]:
    arrow = f" -> ({_result_types(node)})" if node.results else ""
    lines = [f"scf.if {node.operands[0]}{arrow} {{", *lines_of(node.regions[0].body, 1), _yield(node, 0)]
    return [*lines, "} else {", *lines_of(node.regions[1].body, 1), _yield(node, 1), "}"]


def _if(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    if np.ndim(values[0]):
        # In a function on elements: both branches, then one of their results for each.
        branches = [machine.run(region, [], dict(env)) for region in node.regions]
        return [np.where(values[0], a, b) for a, b in zip(*branches, strict=True)]
    return machine.run(node.regions[0 if values[0] else 1], [], dict(env))


def _while_text(node: Node) -> list[str]:
    before, after = node.regions
    pairs = joined([f"{name} = {init}" for (name, _), init in zip(before.arguments, node.operands, strict=True)])
    types = joined([str(type) for type in node.types])
    condition, *passed = before.results
    arguments = joined([f"{name}: {type}" for name, type in after.arguments])
    return [
        f"scf.while ({pairs}) : ({types}) -> ({_result_types(node)}) {{", *lines_of(before.body, 1),
        f"  scf.condition({condition}) {joined(passed)} : {_result_types(node)}", "} do {", f"^bb0({arguments}):",
        *lines_of(after.body, 1), f"  scf.yield {joined(after.results)} : {types}", "}",
    ]  # fmt: skip


def _while(machine: Machine, node: Node, values: list[Any], env: dict[str, Any]) -> list[Any]:
    for _ in range(MOST_TURNS):
        condition, *passed = machine.run(node.regions[0], values, dict(env))
        if not condition:
            return passed
        values = machine.run(node.regions[1], passed, dict(env))
    raise InvalidError("turns without end")


OPS["tt.call"] = Op(_call_text, _call)
OPS["scf.for"] = Op(_for_text, _for)
OPS["scf.if"] = Op(_if_text, _if)
OPS["scf.while"] = Op(_while_text, _while)

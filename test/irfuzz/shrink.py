"""Shrinks a failing module: removes ops, or replaces them by constants, as long as it fails in the same way."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Iterator

from .module import InvalidError, Module, Node, Region, evaluate, walk
from .types import Type

Fails = Callable[[Module], str | None]
"""Function that returns the kind of a module's failure, or None."""

EFFECTS = ("tt.store", "tt.assert", "tt.call", "tt.atomic_rmw", "tt.atomic_cas", "tt.atomic_store",
           "tt.descriptor_store", "tt.descriptor_reduce", "tt.descriptor_scatter")  # fmt: skip


def shrunk(module: Module, fails: Fails, *, seconds: float = 60.0) -> Module:
    """Returns the smallest module found that fails in the same way."""
    end = time.monotonic() + seconds
    wanted = fails(module)
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for candidate in candidates(module):
            if time.monotonic() > end:
                break
            tidy(candidate)
            try:
                evaluate(candidate)
            except InvalidError:
                continue
            if fails(candidate) == wanted:
                module, progress = candidate, True
                break
    return module


def regions_of(module: Module) -> list[Region]:
    return [module.kernel, *module.functions.values()]


def _nodes(module: Module) -> list[tuple[Region, int, Node]]:
    return [each for region in regions_of(module) for each in walk(region)]


def candidates(module: Module) -> Iterator[Module]:
    """Yields smaller modules, the smallest first. Some have undefined results."""
    if module.programs > 1:
        fewer = copy.deepcopy(module)
        fewer.programs = 1
        for buffer in fewer.buffers:
            if buffer.written and not buffer.update:
                buffer.data = buffer.data[: len(buffer.data) // module.programs]
        yield fewer
    count = len(_nodes(module))
    for which in reversed(range(count)):
        node = _nodes(module)[which][2]
        yield from _without(module, which, node)
    for which in range(count):
        node = _nodes(module)[which][2]
        for inner in range(len(node.regions)):
            if node.kind == "scf.if":
                made = copy.deepcopy(module)
                region, place, copied = _nodes(made)[which]
                taken = copied.regions[inner]
                region.body[place : place + 1] = taken.body
                _rename(made, dict(zip((name for name, _ in copied.results), taken.results, strict=True)))
                yield made


def _without(module: Module, which: int, node: Node) -> Iterator[Module]:
    """Replaces an op's results by values of the same type: an operand, an earlier value, or a constant."""
    ways: list[Callable[[Type], str | None]] = [lambda type: None]
    operands = list(zip(node.operands, node.types, strict=True))
    ways.insert(0, lambda type: next((name for name, other in operands if other == type), "missing"))
    for way in ways if node.results else ways[1:]:
        made = copy.deepcopy(module)
        region, place, copied = _nodes(made)[which]
        constants, renamed = [], {}
        for name, type in copied.results:
            other = way(type)
            if other == "missing" or (other is None and (not type.has_constants or copied.kind == "arith.constant")):
                break
            if other is None:
                constants.append(Node("arith.constant", [], [], [(name, type)], {"value": 1}))
            else:
                renamed[name] = other
        else:
            region.body[place : place + 1] = constants
            _rename(made, renamed)
            yield made


def _rename(module: Module, names: dict[str, str]) -> None:
    for region in regions_of(module):
        _rename_in(region, names)


def _rename_in(region: Region, names: dict[str, str]) -> None:
    region.results = [names.get(name, name) for name in region.results]
    for node in region.body:
        node.operands = [names.get(name, name) for name in node.operands]
        for inner in node.regions:
            _rename_in(inner, names)


def tidy(module: Module) -> None:
    """Drops unused ops, functions and arguments."""
    while True:
        called = {node.more["function"] for _, _, node in _nodes(module) if node.kind == "tt.call"}
        module.functions = {name: region for name, region in module.functions.items() if name in called}
        used = {name for region in regions_of(module) for name in region.results}
        used |= {name for _, _, node in _nodes(module) for inner in node.regions for name in inner.results}
        used |= {name for _, _, node in _nodes(module) for name in node.operands}
        dead = [
            (region, node) for region, _, node in _nodes(module)
            if not _acts(node) and not any(name in used for name, _ in node.results)
        ]  # fmt: skip
        for region, node in dead:
            region.body = [other for other in region.body if other is not node]
        if not dead:
            break
    module.aliases = [alias for alias in module.aliases if alias.name in used]
    used |= {alias.of for alias in module.aliases}
    kept = [buffer for buffer in module.buffers if buffer.name in used]
    module.numbers = [number for number in module.numbers if number.name in used]
    module.buffers = kept
    left = {one.name for one in module.buffers} | {one.name for one in module.aliases}
    left |= {one.name for one in module.numbers}
    module.kernel.arguments = [(name, type) for name, type in module.kernel.arguments if name in left]


def _acts(node: Node) -> bool:
    return node.kind in EFFECTS or any(_acts(inner) for region in node.regions for inner in region.body)

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
    failure = fails(module)
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
            if fails(candidate) == failure:
                module, progress = candidate, True
                break
    return module


def regions_of(module: Module) -> list[Region]:
    return [module.kernel, *module.functions.values()]


def _nodes(module: Module) -> list[tuple[Region, int, Node]]:
    return [entry for region in regions_of(module) for entry in walk(region)]


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
    for number in reversed(range(count)):
        node = _nodes(module)[number][2]
        yield from _replaced(module, number, node)
    for number in range(count):
        node = _nodes(module)[number][2]
        for inner in range(len(node.regions)):
            if node.kind == "scf.if":
                candidate = copy.deepcopy(module)
                region, index, copied = _nodes(candidate)[number]
                inner_region = copied.regions[inner]
                region.body[index : index + 1] = inner_region.body
                _rename(candidate, dict(zip((name for name, _ in copied.results), inner_region.results, strict=True)))
                yield candidate


def _replaced(module: Module, number: int, node: Node) -> Iterator[Module]:
    """Replaces an op's results by values of the same type: an operand, an earlier value, or a constant."""
    choices: list[Callable[[Type], str | None]] = [lambda type: None]
    operands = list(zip(node.operands, node.types, strict=True))
    choices.insert(0, lambda type: next((name for name, replacement in operands if replacement == type), "missing"))
    for choose in choices if node.results else choices[1:]:
        candidate = copy.deepcopy(module)
        region, index, copied = _nodes(candidate)[number]
        constants, renamed = [], {}
        for name, type in copied.results:
            replacement = choose(type)
            has_constant = type.has_constants and copied.kind != "arith.constant"
            if replacement == "missing" or (replacement is None and not has_constant):
                break
            if replacement is None:
                constants.append(Node("arith.constant", [], [], [(name, type)], {"value": 1}))
            else:
                renamed[name] = replacement
        else:
            region.body[index : index + 1] = constants
            _rename(candidate, renamed)
            yield candidate


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
        called_functions = {node.attrs["function"] for _, _, node in _nodes(module) if node.kind == "tt.call"}
        module.functions = {name: region for name, region in module.functions.items() if name in called_functions}
        used = {name for region in regions_of(module) for name in region.results}
        used |= {name for _, _, node in _nodes(module) for inner in node.regions for name in inner.results}
        used |= {name for _, _, node in _nodes(module) for name in node.operands}
        dead = [
            (region, node) for region, _, node in _nodes(module)
            if not _acts(node) and not any(name in used for name, _ in node.results)
        ]  # fmt: skip
        for region, node in dead:
            region.body = [candidate for candidate in region.body if candidate is not node]
        if not dead:
            break
    module.aliases = [alias for alias in module.aliases if alias.name in used]
    used |= {alias.of for alias in module.aliases}
    used_buffers = [buffer for buffer in module.buffers if buffer.name in used]
    module.numbers = [number for number in module.numbers if number.name in used]
    module.buffers = used_buffers
    remaining_names = {argument.name for argument in module.buffers} | {argument.name for argument in module.aliases}
    remaining_names |= {argument.name for argument in module.numbers}
    module.kernel.arguments = [(name, type) for name, type in module.kernel.arguments if name in remaining_names]


def _acts(node: Node) -> bool:
    return node.kind in EFFECTS or any(_acts(inner) for region in node.regions for inner in region.body)

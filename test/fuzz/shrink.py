"""Shrinks a failing program: removes parts of it as long as it fails in the same way."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

from .judge import Difference
from .program import POINTER, Descriptor, Line, Nest, Number, Program, Statement, Tensor, walk

Fails = Callable[[Program], Difference | None]


def shrunk(program: Program, first: Difference, fails: Fails, *, seconds: float = 60.0) -> tuple[Program, Difference]:
    """The smallest program found that fails with the same kind of difference."""
    best, difference, end = program, first, time.monotonic() + seconds
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for candidate in candidates(best):
            if time.monotonic() > end:
                break
            tidy(candidate)
            failure = fails(candidate)
            if failure is not None and failure.resembles(first):
                best, difference, progress = candidate, failure, True
                break
    return best, difference


def candidates(program: Program) -> Iterator[Program]:
    """Yields smaller programs, the smallest first."""
    lists = _lists(program)
    yield from _one_store(program)
    for number, statements in enumerate(lists):
        size = len(statements)
        while size:
            for start in range(max(len(statements) - size, 0), -1, -size):
                candidate = program.copy()
                del _lists(candidate)[number][start : start + size]
                yield candidate
            size //= 2
    for number, statements in enumerate(lists):
        for index, statement in enumerate(statements):
            if isinstance(statement, Nest):
                for part in ("body", "orelse"):
                    candidate = program.copy()
                    target = _lists(candidate)[number]
                    target[index : index + 1] = getattr(target[index], part)
                    yield candidate
    yield from _without_masks(program)
    yield from _other_operands(program)
    if program.grid != (1,):
        candidate = program.copy()
        candidate.grid = (1,)
        yield candidate
    for index, argument in enumerate(program.arguments):
        if isinstance(argument, Number) and argument.value not in (0, 1) and not argument.constexpr:
            for value in (0, 1, 2, 3):
                if value != argument.value:
                    candidate = program.copy()
                    candidate.arguments[index].value = value  # type: ignore[union-attr]
                    yield candidate
        if isinstance(argument, Tensor) and argument.recipe not in ("ids", "ones", "zeros", "small", ""):
            for recipe in ("ids", "small") if argument.kind != "int1" else ("ones", "zeros"):
                candidate = program.copy()
                candidate.arguments[index].recipe = recipe  # type: ignore[union-attr]
                yield candidate


def _one_store(program: Program) -> Iterator[Program]:
    """Yields programs with only one of the kernel's stores, if there are several."""
    stores = [
        index for index, line in enumerate(program.body) if isinstance(line, Line) and line.text.startswith("tl.store")
    ]
    for store in stores if len(stores) > 1 else []:
        candidate = program.copy()
        dropped = set(stores) - {store}
        candidate.body = [line for index, line in enumerate(candidate.body) if index not in dropped]
        yield candidate


def _without_masks(program: Program) -> Iterator[Program]:
    for index, statement in enumerate(walk(program.body)):
        if isinstance(statement, Line) and ", mask=" in statement.text:
            candidate = program.copy()
            line = list(walk(candidate.body))[index]
            assert isinstance(line, Line)
            line.text = re.sub(r", mask=.*\)$", ")", line.text)
            line.uses = line.uses[: 1 + max(int(at) for at in re.findall(r"\{(\d)\}", line.text))]
            yield candidate


def _lists(program: Program) -> list[list[Statement]]:
    """Yields every list of statements, the kernel's own first."""
    lists = [program.body]
    for statement in walk(program.body):
        if isinstance(statement, Nest):
            lists += [statement.body, statement.orelse]
    for function in program.functions:
        lists.append(function.body)
    return lists


def _other_operands(program: Program) -> Iterator[Program]:
    """Yields programs with each use of a name replaced by the earliest name of the same type."""
    kinds: dict[str, object] = {}
    first: dict[object, list[str]] = {}
    for statement in walk(program.body):
        for name, kind in zip(statement.targets, statement.kinds, strict=False):
            kinds.setdefault(name, kind)
            names = first.setdefault(kind, [])
            if name not in names:
                names.append(name)
    statements = list(walk(program.body))
    for index, statement in enumerate(statements):
        for operand, name in enumerate(statement.uses):
            for replacement in first.get(kinds.get(name), [])[:2]:
                if replacement == name or kinds[name] == POINTER:
                    break
                candidate = program.copy()
                list(walk(candidate.body))[index].uses[operand] = replacement
                yield candidate


def tidy(program: Program) -> None:
    """Removes unused values, arguments and functions."""
    while True:
        used = {name for statement in walk(program.body) for name in statement.uses}
        count = sum(1 for _ in walk(program.body))
        _drop(program.body, used)
        if sum(1 for _ in walk(program.body)) == count:
            break
    texts = "\n".join(program.texts())
    arguments = [argument for argument in program.arguments if argument.name in used]
    viewed = {argument.view[0] for argument in arguments if isinstance(argument, Tensor) and argument.view}
    viewed |= {argument.base for argument in arguments if isinstance(argument, Descriptor)}
    program.arguments = [argument for argument in program.arguments if argument.name in used | viewed]
    program.functions = [function for function in program.functions if function.name in texts]


def _drop(statements: list[Statement], used: set[str]) -> None:
    remaining: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Nest):
            _drop(statement.body, used)
            _drop(statement.orelse, used)
            if statement.body or statement.orelse:
                remaining.append(statement)
        elif not statement.targets or any(name in used for name in statement.targets):
            remaining.append(statement)
    statements[:] = remaining

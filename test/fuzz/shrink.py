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
            found = fails(candidate)
            if found is not None and found.resembles(first):
                best, difference, progress = candidate, found, True
                break
    return best, difference


def candidates(program: Program) -> Iterator[Program]:
    """Yields smaller programs, the smallest first."""
    lists = _lists(program)
    yield from _one_store(program)
    for which, statements in enumerate(lists):
        size = len(statements)
        while size:
            for start in range(max(len(statements) - size, 0), -1, -size):
                made = program.copy()
                del _lists(made)[which][start : start + size]
                yield made
            size //= 2
    for which, statements in enumerate(lists):
        for place, statement in enumerate(statements):
            if isinstance(statement, Nest):
                for part in ("body", "orelse"):
                    made = program.copy()
                    target = _lists(made)[which]
                    target[place : place + 1] = getattr(target[place], part)
                    yield made
    yield from _without_masks(program)
    yield from _other_operands(program)
    if program.grid != (1,):
        made = program.copy()
        made.grid = (1,)
        yield made
    for place, argument in enumerate(program.arguments):
        if isinstance(argument, Number) and argument.value not in (0, 1) and not argument.constexpr:
            for value in (0, 1, 2, 3):
                if value != argument.value:
                    made = program.copy()
                    made.arguments[place].value = value  # type: ignore[union-attr]
                    yield made
        if isinstance(argument, Tensor) and argument.recipe not in ("ids", "ones", "zeros", "small", ""):
            for recipe in ("ids", "small") if argument.kind != "int1" else ("ones", "zeros"):
                made = program.copy()
                made.arguments[place].recipe = recipe  # type: ignore[union-attr]
                yield made


def _one_store(program: Program) -> Iterator[Program]:
    """Yields programs with only one of the kernel's stores, if there are several."""
    stores = [at for at, each in enumerate(program.body) if isinstance(each, Line) and each.text.startswith("tl.store")]
    for kept in stores if len(stores) > 1 else []:
        made = program.copy()
        made.body = [each for at, each in enumerate(made.body) if at == kept or at not in stores]
        yield made


def _without_masks(program: Program) -> Iterator[Program]:
    for place, statement in enumerate(walk(program.body)):
        if isinstance(statement, Line) and ", mask=" in statement.text:
            made = program.copy()
            line = list(walk(made.body))[place]
            assert isinstance(line, Line)
            line.text = re.sub(r", mask=.*\)$", ")", line.text)
            line.uses = line.uses[: 1 + max(int(at) for at in re.findall(r"\{(\d)\}", line.text))]
            yield made


def _lists(program: Program) -> list[list[Statement]]:
    """Yields every list of statements, the kernel's own first."""
    found = [program.body]
    for statement in walk(program.body):
        if isinstance(statement, Nest):
            found += [statement.body, statement.orelse]
    for function in program.functions:
        found.append(function.body)
    return found


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
    every = list(walk(program.body))
    for place, statement in enumerate(every):
        for at, name in enumerate(statement.uses):
            for other in first.get(kinds.get(name), [])[:2]:
                if other == name or kinds[name] == POINTER:
                    break
                made = program.copy()
                list(walk(made.body))[place].uses[at] = other
                yield made


def tidy(program: Program) -> None:
    """Removes unused values, arguments and functions."""
    while True:
        used = {name for statement in walk(program.body) for name in statement.uses}
        before = sum(1 for _ in walk(program.body))
        _drop(program.body, used)
        if sum(1 for _ in walk(program.body)) == before:
            break
    texts = "\n".join(program.texts())
    viewed = {
        each.view[0] for each in program.arguments if isinstance(each, Tensor) and each.view and each.name in used
    }
    viewed |= {each.base for each in program.arguments if isinstance(each, Descriptor) and each.name in used}
    program.arguments = [each for each in program.arguments if each.name in used | viewed]
    program.functions = [each for each in program.functions if each.name in texts]


def _drop(statements: list[Statement], used: set[str]) -> None:
    kept: list[Statement] = []
    for statement in statements:
        if isinstance(statement, Nest):
            _drop(statement.body, used)
            _drop(statement.orelse, used)
            if statement.body or statement.orelse:
                kept.append(statement)
        elif not statement.targets or any(name in used for name in statement.targets):
            kept.append(statement)
    statements[:] = kept

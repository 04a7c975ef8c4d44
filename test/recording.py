"""Coverage of the language by the tests: names by element type, compiled and interpreted.

``pytest --record-names DIR`` writes the names that passing tests used, one file a process; ``seen`` merges the files.
Only names in a test's own kernels count, not those inside of the language's functions; a name counts for a GPU if a
test that also runs there used it.
"""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Names = dict[str, dict[str, list[str]]]
"""Element types by mode (compiled, interpreted) and by name."""

MODES = ("compiled", "interpreted", "gpu")


@functools.cache
def _tensor() -> type[Any]:
    from blockdsl.language.tensor import tensor

    return tensor


@functools.cache
def _name(dtype: Any) -> str:
    """Returns the name of an element type; for a pointer, that of its elements."""
    return str(getattr(dtype, "element_ty", dtype))


def _elements(value: Any) -> Iterator[str]:
    """Returns the element types of the blocks and numbers in a value."""
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _elements(item)
    elif isinstance(value, _tensor()):
        yield _name(value.dtype)


def _type(arguments: Any, result: Any) -> str:
    """Returns the type of a use: the first operand's, unless it is a condition among others, or the result's."""
    types = list(_elements(arguments)) or list(_elements(result))
    return next((name for name in types if name != "int1"), types[0] if types else "")


class Recorder:
    """A plugin of pytest that writes the names that each passing test uses."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.depth = 0
        self.used: set[tuple[str, str, str]] = set()
        self.passed: set[tuple[str, str, str]] = set()
        self._watch()

    def _watch(self) -> None:
        from blockdsl.frontend.emitter import Emitter
        from blockdsl.frontend.functions import Functions
        from blockdsl.interpreter.programs import Interpreter

        for owner, method, mode in (
            (Emitter, "run", "compiled"),
            (Functions, "call", "compiled"),
            (Interpreter, "run", "interpreted"),
            (Interpreter, "call", "interpreted"),
        ):
            setattr(owner, method, self._watched(getattr(owner, method), mode))

    def _watched(self, original: Callable[..., Any], mode: str) -> Callable[..., Any]:
        from blockdsl.language.op import LibraryFunction, Op

        @functools.wraps(original)
        def watched(owner: Any, function: Any, args: Any, kwargs: Any) -> Any:
            # A test's own function is no name of the language; its calls count as the test's.
            if not isinstance(function, (Op, LibraryFunction)):
                return original(owner, function, args, kwargs)
            self.depth += 1
            try:
                result = original(owner, function, args, kwargs)
            finally:
                self.depth -= 1
            if self.depth == 0:
                self.used.add((mode, function.name, _type([*args, *kwargs.values()], result)))
            return result

        return watched

    @pytest.hookimpl
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        self.depth = 0
        self.used.clear()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        outcome: Any = yield
        report = outcome.get_result()
        if report.when != "call" or not report.passed:
            return
        self.passed |= self.used
        fixtures = {*getattr(item, "fixturenames", ())}
        if fixtures & {"device", "run"} and not item.get_closest_marker("cpu_only"):
            self.passed |= {("gpu", name, element) for mode, name, element in self.used if mode == "compiled"}

    @pytest.hookimpl
    def pytest_sessionfinish(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        path = self.directory / f"{os.getpid()}.json"
        path.write_text(json.dumps(sorted(self.passed)), encoding="utf-8")


def seen(directory: Path) -> Names:
    """Returns the names that all processes have written."""
    by_mode: dict[str, dict[str, set[str]]] = {mode: {} for mode in MODES}
    for path in directory.glob("*.json"):
        for mode, name, element in json.loads(path.read_text(encoding="utf-8")):
            by_mode[mode].setdefault(name, set()).add(element)
    return {mode: {name: sorted(types) for name, types in sorted(names.items())} for mode, names in by_mode.items()}

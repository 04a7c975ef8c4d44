"""Tests of locations in messages of kernels from the disk cache whose source has moved since their compilation."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest
import torch

from blockdsl.compiler.kept_locations import KeptLocations
from blockdsl.errors import KernelAssertionError, LaunchError, LaunchWarning

pytestmark = pytest.mark.without_sanitizers("the disk cache is off there")

MODULE = """\
import blockdsl
import blockdsl.language as tl
{further}

@blockdsl.jit
def put(out, at, value):
    tl.store(out + at, value)


@blockdsl.jit
def direct(out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, 1.0, mask=at < n)


@blockdsl.jit
def calling(out, n):
    put(out, n, 1.0)


@blockdsl.jit
def given(out, n, function: tl.constexpr):
    function(out, n, 1.0)


@blockdsl.jit
def asserting(out, n):
    tl.device_assert(n < 4, "n is small")
    tl.store(out, n)


@blockdsl.jit
def narrow(out, stride):
    tl.store(out + tl.program_id(0) * stride, 1)
"""


@pytest.fixture
def load(tmp_path: Path):  # type: ignore[no-untyped-def]
    """Writes the module, with further lines above the kernels, to a file with a given name, and imports it."""

    def loaded(name: str, lines: int) -> ModuleType:
        path = tmp_path / f"{name}.py"
        path.write_text(MODULE.format(further="\n" * lines))
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return loaded


def line_of(module: ModuleType, text: str) -> int:
    source = Path(str(module.__file__)).read_text()
    return source[: source.index(text)].count("\n") + 1


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    from blockdsl.compiler import cpu_kernel

    seen: list[object] = []
    make = cpu_kernel._make

    def counted(*arguments: object) -> object:
        seen.append(arguments[0])
        return make(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(cpu_kernel, "_make", counted)
    return seen


# The same file with more and with fewer lines above the kernels, and another file.
MOVES = [("moved_down", 0, "moved_down", 7), ("moved_up", 9, "moved_up", 2), ("moved_away", 3, "other_place", 5)]
moves = pytest.mark.parametrize(("name", "lines", "other", "more"), MOVES, ids=[each[0] for each in MOVES])


@moves
def test_a_refused_access(load, compilations, name, lines, other, more):
    for module in (load(*each) for each in ((name, lines), (other, more))):
        with pytest.raises(LaunchError, match="stores to element 63") as caught:
            module.direct[(1,)](torch.zeros(10), 64, BLOCK=64)
        assert caught.value.location is not None
        assert caught.value.location.file == module.__file__
        assert caught.value.location.line == line_of(module, "tl.store(out + at, 1.0, mask")
        assert "tl.store(out + at, 1.0, mask=at < n)" in str(caught.value)
    assert len(compilations) == 1


@moves
@pytest.mark.parametrize("kernel", ["calling", "given"])
def test_a_refused_access_in_a_function(load, compilations, name, lines, other, more, kernel):
    for module in (load(*each) for each in ((name, lines), (other, more))):
        further = (module.put,) * (kernel == "given")
        with pytest.raises(LaunchError, match="stores to element 12") as caught:
            getattr(module, kernel)[(1,)](torch.zeros(10), 12, *further)
        assert caught.value.location is not None
        assert caught.value.location.line == line_of(module, "tl.store(out + at, value)")
        call = "function(out, n" if kernel == "given" else "put(out, n"
        assert [(each.file, each.line) for each in caught.value.calls] == [(module.__file__, line_of(module, call))]
    assert len(compilations) == 1


@moves
def test_a_failed_assertion(load, compilations, name, lines, other, more):
    for module in (load(*each) for each in ((name, lines), (other, more))):
        with pytest.raises(KernelAssertionError, match="n is small") as caught:
            module.asserting[(1,)](torch.zeros(1), 9)
        assert caught.value.location is not None
        assert (caught.value.location.file, caught.value.location.line) == (
            module.__file__,
            line_of(module, "tl.device_assert"),
        )
    assert len(compilations) == 1


@moves
def test_offsets_that_wrap(load, compilations, name, lines, other, more):
    huge = torch.empty(2**31 + 16, dtype=torch.int8)
    for module in (load(*each) for each in ((name, lines), (other, more))):
        at = line_of(module, "tl.store(out + tl.program_id(0)")
        with pytest.warns(LaunchWarning, match=f"computed in 32 bits at {module.__file__}:{at}:"):
            module.narrow[(1,)](huge, 2)
    assert len(compilations) == 1


def test_location_of_unknown_function_is_kept():
    locations = KeptLocations([("a.py", 10, 5), ("b.py", 1, 3)], [("a.py", 20, 5), ("c.py", 2, 3)])
    assert locations.line("a.py", 9) == ("a.py", 9)
    assert locations.line("a.py", 14) == ("a.py", 24)
    assert locations.line("a.py", 15) == ("a.py", 15)
    assert locations.position("b.py:3:7") == "c.py:4:7"
    assert locations.position("b.py:3") == "c.py:4"
    assert locations.position("") == ""


@pytest.mark.parametrize("current", [[], [("a.py", 20, 6)], [("a.py", 20, 5), ("a.py", 30, 5)]])
def test_reordered_functions_are_not_matched(current):
    assert KeptLocations([("a.py", 10, 5)], current).line("a.py", 12) == ("a.py", 12)

"""Tests of repeated launches of a compiled graph: they do not call the function that computes the grid."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import FunctionType
from typing import Any

import pytest
import torch
from torch.testing import assert_close
from torch.utils._debug_mode import DebugMode
from triton import knobs

from blockdsl import _runtime
from blockdsl.torch_compile import cached_launch

pytestmark = pytest.mark.since_torch_2_13


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[_runtime.CachedLaunch]:
    """Returns the cached launches that graphs have made since: one for each kernel."""
    found: list[_runtime.CachedLaunch] = []
    make = cached_launch.repeated

    def kept(launcher: Any, *in_its_place: Any) -> Any:
        result = make(launcher, *in_its_place)
        if in_its_place:
            found.append(result)
        return result

    monkeypatch.setattr(cached_launch, "repeated", kept)
    return found


def scaled(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.relu(x * 2 + y)


def compiled(**options: Any) -> Callable[..., torch.Tensor]:
    function: Callable[..., torch.Tensor] = torch.compile(scaled, backend="blockdsl", **options)
    return function


def test_third_launch_runs_without_python(made: list[_runtime.CachedLaunch]) -> None:
    run = compiled()
    for _ in range(2):
        run(torch.randn(9000), torch.randn(9000))
    (launch,) = made
    assert launch.learned is not None
    assert launch.learned[2] == (3, 1, 1)
    # Other arguments would call it, which is impossible without its code.
    inductors: Any = launch.launcher
    launcher = inductors.__self__._cached_launcher.launcher
    assert isinstance(launcher, FunctionType)
    launcher.__code__ = test_third_launch_runs_without_python.__code__
    x, y = torch.randn(2, 9000)
    assert_close(run(x, y), scaled(x, y))


def test_a_kernel_of_very_many_arguments(made: list[_runtime.CachedLaunch]) -> None:
    run = torch.compile(torch._foreach_mul, backend="blockdsl")
    for _ in range(3):
        given = [torch.randn(100) for _ in range(80)]
        for got, each in zip(run(given, 2.5), given, strict=True):
            assert_close(got, each * 2.5)
    assert max(len(launch.learned[3]) for launch in made if launch.learned is not None) > 64


def test_other_sizes_have_another_grid(made: list[_runtime.CachedLaunch]) -> None:
    run = compiled(dynamic=True)
    for size in [9000, 9000, 9000, 20_000, 20_000, 5, 9000, *range(8000, 8020), 20_000]:
        x, y = torch.randn(2, size)
        assert_close(run(x, y), scaled(x, y))
    assert len(made) == 1


def test_an_address_that_is_no_multiple_of_16(made: list[_runtime.CachedLaunch]) -> None:
    run = compiled()
    x, y = torch.randn(2, 9001)
    for at in (slice(0, 9000), slice(0, 9000), slice(1, 9001), slice(0, 9000)):
        assert_close(run(x[at], y[at]), scaled(x[at], y[at]))
    assert made


def test_a_hook_sees_each_launch(made: list[_runtime.CachedLaunch]) -> None:
    run = compiled()
    x, y = torch.randn(2, 9000)
    for _ in range(3):
        run(x, y)
    seen: list[object] = []
    hook = seen.append
    knobs.runtime.launch_exit_hook.add(hook)
    try:
        run(x, y)
        run(x, y)
    finally:
        knobs.runtime.launch_exit_hook.remove(hook)
    run(x, y)
    assert len(seen) == 2
    assert made


def test_floats_are_passed_and_not_compared() -> None:
    """Two zeros are equal, but kernels may divide by either."""
    passed: list[tuple[Any, ...]] = []
    scope: dict[str, Any] = {"runner": lambda *args: passed.append(args)}
    exec("def launcher(x, by, n, stream):\n runner(n // 4, 1, 1, 0, 0, 0, 0, 0, 0, x, by, n, 4)", scope)
    learned = cached_launch.learning(scope["launcher"], (True, True, True, False))("tensor's place"[:0], 0.0, 12)
    assert learned == ((str, float, int), ("", ..., 12), (3, 1, 1), (("",), 1, (12,)))
    assert not passed


def test_launcher_that_reads_its_tensors_is_not_cached() -> None:
    scope: dict[str, Any] = {}
    exec("def launcher(x, stream):\n runner(x.numel(), 1, 1, 0, 0, 0, 0, 0, 0, x)", scope)
    assert cached_launch.learning(scope["launcher"], (True,))(torch.ones(3)) is None
    assert cached_launch.repeated(scope["launcher"]) is None


def test_cached_grid_is_verified(made: list[_runtime.CachedLaunch]) -> None:
    run = compiled()
    for _ in range(2):
        run(torch.randn(9000), torch.randn(9000))
    inductors: Any = made[0].launcher
    launcher = inductors.__self__._cached_launcher.launcher
    function = launcher.__globals__["function"]
    good = ((int,), (1,), (1, 1, 1), (0,))
    for wrong in (1, good[:3], (*good[:2], (1, 1), (0,)), (*good[:3], (1,)), ((), *good[1:]), (*good[:3], ("x",))):
        launch = _runtime.CachedLaunch(lambda *args, stream: None, lambda *args, w=wrong: w, function, (), ())
        with pytest.raises(TypeError, match="learn gave"):
            launch(1, stream=0)
    with pytest.raises(TypeError, match="loaded for the CPU"):
        _runtime.CachedLaunch(launcher, launcher, 3, (), ())  # type: ignore[arg-type]
    for watched in (1, [], (1,), (({}, "name"),), (("x", "name", 1),), (({}, 1, 1),)):
        with pytest.raises(TypeError, match=r"^a globals guard (has tuples of a dict|is a tuple)"):
            _runtime.CachedLaunch(launcher, launcher, function, (), watched)  # type: ignore[arg-type]


def test_cache_keeps_no_tensor_alive(made: list[_runtime.CachedLaunch]) -> None:
    run = compiled()
    x, y = torch.randn(2, 9000)
    gone = weakref.ref(x)
    for _ in range(3):
        run(x, y)
    assert made
    del x
    assert gone() is None


def test_hooks_and_profilers_are_checked_per_launch(made: list[_runtime.CachedLaunch]) -> None:
    """Inductor reports launches to active profilers and debug modes only."""
    run = compiled()
    x, y = torch.randn(2, 9000)
    for _ in range(3):
        run(x, y)
    assert made
    names = []
    for _ in range(2):
        with torch.profiler.profile() as profile:
            assert_close(run(x, y), scaled(x, y))
        names.append([event.name for event in profile.events() if event.name.startswith("triton_")])
        with DebugMode() as mode:
            assert_close(run(x, y), scaled(x, y))
        assert mode.debug_string().count("[triton]") == 1, mode.debug_string()
        run(x, y)
    assert names[0] == names[1]
    assert len(names[0]) == 1


def test_dropped_launcher_is_recreated(made: list[_runtime.CachedLaunch]) -> None:
    run = compiled()
    x, y = torch.randn(2, 9000)
    for _ in range(3):
        run(x, y)
    inductors: Any = made[0].launcher
    inductors.__self__._cached_launcher = None
    assert_close(run(x, y), scaled(x, y))
    assert len(made) == 2
    assert inductors.__self__.run is made[1]
    for _ in range(2):
        assert_close(run(x, y), scaled(x, y))

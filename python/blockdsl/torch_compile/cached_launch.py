"""Cached launches of a compiled graph, which bypass the Python function that computes a kernel's grid.

Inductor generates that function for each kernel. Its grid depends on the numbers among the arguments, which repeat
while shapes do. ``_runtime.CachedLaunch`` keeps the grid and the arguments, and calls the function for other numbers,
or while a hook of Triton's is set.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any

from blockdsl import _runtime
from blockdsl.triton.kernel_launcher import KernelLauncher

if TYPE_CHECKING:
    from blockdsl._runtime import GlobalsGuard

_COMPARED = (int, bool, str, type(None))
"""Types of arguments that are compared by value. Not floats: of two zeros, which are equal, each is another."""

_BEFORE = 9
"""Arguments of a launcher before the kernel's own: three extents of the grid and six of Triton's."""

Learned = tuple[tuple[Any, ...], ...]


def learning(launcher: FunctionType, form: tuple[Any, ...]) -> Callable[..., Learned | None]:
    """A function that says what a launcher of Inductor's passes on, as ``CachedLaunch`` takes it.

    Args:
        launcher: Inductor's.
        form: Which of the arguments that it passes on the kernel takes.
    """

    def learn(*args: Any) -> Learned | None:
        # In place of tensors what can be passed on only, so that nothing follows from one.
        given = [value if type(value) in _COMPARED else object() for value in args]
        passed: list[tuple[Any, ...]] = []
        # It ends with a call of what it knows as ``runner``.
        scope = {**launcher.__globals__, "runner": lambda *args: passed.append(args)}
        try:
            FunctionType(launcher.__code__, scope, launcher.__name__)(*given, stream=0)
        except Exception:  # The launcher itself comes next, and its error is the user's.
            return None
        grid, rest = passed[0][:3], passed[0][_BEFORE:]
        if len(rest) != len(form):
            return None
        places = {id(each): place for place, each in enumerate(given) if type(each) is object}
        # A tensor in place of a number is read each time.
        numbers = [args[places[id(each)]] for each, taken in zip(rest, form, strict=True)
                   if taken is ... and id(each) in places]  # fmt: skip
        if not all(type(each) is float for each in numbers):
            return None
        return (
            tuple(map(type, args)),
            tuple(... if type(each) is object else each for each in given),
            grid,
            tuple(places.get(id(each), (each,)) for each, taken in zip(rest, form, strict=True) if taken),
        )

    return learn


def repeated(
    launcher: Any, otherwise: Callable[..., object] | None = None, watched: GlobalsGuard = ()
) -> _runtime.CachedLaunch | None:
    """In place of a launcher of Inductor's; None if it is none of a kernel for the CPU, or one that takes tuples.

    Args:
        launcher: Inductor's.
        otherwise: What launches where this one cannot; the launcher if nothing else is given.
        watched: What has to be as it is: a namespace, a name in it, and its value.
    """
    scope = getattr(launcher, "__globals__", {})
    runner, function = scope.get("runner"), scope.get("function")
    if type(launcher) is not FunctionType or not isinstance(function, KernelLauncher):
        return None
    if not isinstance(runner, _runtime.TritonLaunch) or any(isinstance(each, tuple) for each in runner.forms[0]):
        return None
    hooks = scope.get("launch_enter_hook"), scope.get("launch_exit_hook")
    learn = learning(launcher, runner.forms[0])
    return _runtime.CachedLaunch(otherwise or launcher, learn, function, hooks, watched)


@functools.cache
def install() -> None:
    """Has Inductor launch so from the second launch of a kernel on. Before torch 2.13 it has no place for that.

    What Inductor asks before each launch, whether somebody profiles or debugs and whether its launcher is still the
    one, is asked without its function in Python, which takes 13 microseconds where nothing of it is in the caches.
    """
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner
    from torch.autograd import profiler

    autotuner: Any = CachingAutotuner
    build = getattr(autotuner, "_build_fast_launcher", None)
    if build is None:
        return
    from torch.utils._debug_mode import _mode

    nobody_looks_on: GlobalsGuard = (
        (vars(profiler), "_is_profiler_enabled", False),
        (vars(_mode), "_ACTIVE_DEBUG_MODE_COUNT", 0),
    )

    @functools.wraps(build)
    def built(self: Any, launcher: Any) -> Any:
        launch = repeated(launcher)
        if launch is None:
            return build(self, launcher)
        if type(self) is autotuner:
            watched = ((vars(self), "_cached_launcher", launch), *nobody_looks_on)
            self.run = repeated(launcher, MethodType(autotuner.run, self), watched)
        return launch

    autotuner._build_fast_launcher = built

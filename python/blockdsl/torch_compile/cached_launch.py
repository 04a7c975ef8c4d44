"""Cached launches of a compiled graph, which bypass the Python function that computes a kernel's grid.

Inductor generates that function for each kernel. The grid depends on the numbers among the arguments, which are
constant while shapes are. ``_runtime.CachedLaunch`` caches the grid and the arguments, and calls the function for other
numbers, or while a hook of Triton is set.
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
"""Types of arguments that are compared by value. Floats are excluded, because 0.0 equals -0.0."""

_BEFORE = 9
"""Arguments of a launcher before the kernel's own: three extents of the grid and six of Triton's."""

Learned = tuple[tuple[Any, ...], ...]


def learning(launcher: FunctionType, form: tuple[Any, ...]) -> Callable[..., Learned | None]:
    """Returns a function that records the grid and arguments that a launcher of Inductor passes, for ``CachedLaunch``.

    Args:
        launcher: The launcher.
        form: For each argument that the launcher passes whether the kernel takes it.
    """

    def learn(*args: Any) -> Learned | None:
        # Tensors are replaced by plain objects, so that the result cannot depend on them.
        placeholders = [value if type(value) in _COMPARED else object() for value in args]
        passed: list[tuple[Any, ...]] = []
        # The launcher ends with a call of its global ``runner``.
        scope = {**launcher.__globals__, "runner": lambda *args: passed.append(args)}
        try:
            FunctionType(launcher.__code__, scope, launcher.__name__)(*placeholders, stream=0)
        except Exception:  # The launcher itself runs next, and raises the error.
            return None
        grid, kernel_arguments = passed[0][:3], passed[0][_BEFORE:]
        if len(kernel_arguments) != len(form):
            return None
        positions = {
            id(argument): position for position, argument in enumerate(placeholders) if type(argument) is object
        }
        # A number may be passed as a tensor, which must be read at each launch.
        numbers = [args[positions[id(argument)]] for argument, is_taken in zip(kernel_arguments, form, strict=True)
                   if is_taken is ... and id(argument) in positions]  # fmt: skip
        if not all(type(argument) is float for argument in numbers):
            return None
        return (
            tuple(map(type, args)),
            tuple(... if type(argument) is object else argument for argument in placeholders),
            grid,
            tuple(
                positions.get(id(argument), (argument,))
                for argument, is_taken in zip(kernel_arguments, form, strict=True)
                if is_taken
            ),
        )

    return learn


def repeated(
    launcher: Any, otherwise: Callable[..., object] | None = None, watched: GlobalsGuard = ()
) -> _runtime.CachedLaunch | None:
    """Returns a cached launch that replaces a launcher of Inductor; None if the kernel is not for the CPU, or takes
    tuples.

    Args:
        launcher: The launcher.
        otherwise: The fallback; by default the launcher.
        watched: Conditions of cached launches: a namespace, a name in it, and its value.
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
    """Makes Inductor use cached launches from a kernel's second launch on. Before torch 2.13 it has no hook for them.

    Inductor's checks before each launch, for profilers, debug modes and a changed launcher, are done in C++: Inductor's
    Python function takes 13 microseconds with cold caches.
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

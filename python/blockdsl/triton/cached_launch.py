"""Cached launches of stock kernels, which bypass Triton's binder and its seven microseconds.

Triton runs the first launch with a key. The kernel is then stored in our launcher, whose key is finer than Triton's and
includes the types of the arguments, so that Triton's binder validates each type first: it refuses NumPy arrays, for
example. A cached launch is not used while a hook or a knob that a launch reads is set, after the kernel's text or
globals have changed or its kernels were dropped, or for invalid arguments, whose errors Triton raises.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NoReturn

from blockdsl import _runtime, parsing
from blockdsl.compiler.aliases import Aliases, Overlaps
from blockdsl.compiler.cpu_kernel import CPUKernel, compile_kernel
from blockdsl.compiler.program import TextProgram
from blockdsl.compiler.signature import Signature
from blockdsl.errors import KernelAssertionError, LaunchError
from blockdsl.launcher import arguments
from blockdsl.launcher.compiled_launcher import CPU, STREAMING
from blockdsl.launcher.reports import Reporting
from blockdsl.triton.current_files import name_current_files
from blockdsl.triton.kernel_launcher import DEVICE, KernelLauncher, padded_names, padded_with_nan
from blockdsl.triton.options import known_options
from blockdsl.triton.tracing_disabled import untraced

_MOST_KERNELS = 256
"""The most cached kernels of a function. Beyond this number most launches have new arguments, and caching is a loss."""

_GIVEN_UP = False
"""The value of ``_shortcut`` for a function without cached launches; it is None before the first launch."""

_seen = threading.local()
"""The Triton kernel that this thread has just launched."""

_LASTING = {"int", "float", "str", "bool", "NoneType", "dtype"}
"""Types of constants with immutable values."""


class Unknown(Exception):  # noqa: N818 - not an error for users
    """The launcher has no kernel for these arguments, or cannot handle them.

    Attributes:
        grid: The result of a grid function if it is invalid, so that the function is not called again.
    """

    def __init__(self, grid: object = None) -> None:
        self.grid = grid


def _with_all_parameters(kernel: CPUKernel, names: Sequence[str], padded: Sequence[str]) -> TextProgram | None:
    """Returns the kernel's program for a launcher with all parameters, which numbers them differently, and with some
    descriptors padded with NaN. None if a parameter is a tuple, which the signature replaces by its elements."""
    program, signature = kernel.program, kernel.signature
    assert isinstance(program, TextProgram)
    if padded:
        program = padded_with_nan(program, padded)
    if not set(signature.names) <= set(names):
        return None
    full = Signature(tuple(names), signature.types, signature.divisibility, is_signless=True)
    indices = tuple(map(names.index, signature.names))
    return replace(program, read=(program.name, full), parameter_indices=indices, is_shown=True)


def _is_intercepted(value: Any) -> bool:
    """Returns whether a tensor subclass overrides functions that Triton's binder calls. The launcher does not call
    them, and could accept a tensor that they reject."""
    if isinstance(value, tuple):
        return any(map(_is_intercepted, value))
    if hasattr(value, "block_shape"):
        return _is_intercepted(value.base)
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(value, torch.Tensor):
        return False
    handler = type(value).__torch_function__
    plain = torch.Tensor.__torch_function__.__func__, torch._C._disabled_torch_function_impl
    return getattr(handler, "__func__", handler) not in plain or type(value).data_ptr is not torch.Tensor.data_ptr


class Shortcut(Reporting, _runtime.Launcher):
    """The cached launches of one kernel."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.count = 0
        self._names = [each.name for each in function.params]
        rows = [
            arguments.row(
                each, (each.default,) if each.has_default else (),
                is_specialized=not each.do_not_specialize, is_aligned=not each.do_not_specialize_on_alignment,
                specializes_ones=True,
            )
            for each in function.params
        ]  # fmt: skip
        rows += [(name, arguments.GPU_OPTION, (None,), 0, "n") for name in known_options() if name not in self._names]
        super().__init__(tuple(rows), by_type=True)
        of_function, caches = vars(function), function.device_caches
        text, dropped = (of_function, "hash", function.hash), (of_function, "device_caches", caches)
        self._watch((text, dropped, (caches, DEVICE, caches[DEVICE])))

    def _forget(self) -> NoReturn:
        """Drops this launcher, because the function's kernels have changed. Triton runs the next launch."""
        vars(self.function)["_shortcut"] = None
        raise Unknown

    def _compile(
        self,
        values: Sequence[Any],
        attributes: Sequence[arguments.Attributes],
        variant: int,
        overlaps: Overlaps,
        device: int,
    ) -> _runtime.AnyKernel:
        kernel_seen = getattr(_seen, "kernel", None)
        if kernel_seen is None or device != CPU or not all(isinstance(attribute, int) for attribute in attributes):
            raise Unknown
        function: KernelLauncher = kernel_seen.function
        constants = (value for value, each in zip(values, self.function.params, strict=False) if each.is_constexpr)
        program = _with_all_parameters(function.kernel, self._names, padded_names(self._names, attributes))
        # The key of other constants would be their address, which may be reused.
        if program is None or not all(type(value).__name__ in _LASTING for value in constants):
            self._give_up()
            raise Unknown
        options = replace(function.kernel.options, disjoint=True, merged=(), streaming=bool(variant & STREAMING))
        kernel = compile_kernel(program, options, Aliases.of(program.signature, overlaps))
        kernel.of_triton = kernel_seen  # type: ignore[attr-defined]
        return kernel

    def _failed(self, *said: Any) -> NoReturn:
        try:
            super()._failed(*said)
        except KernelAssertionError as error:
            name_current_files(error, self.function)
            raise

    def _refuse_access(self, *said: Any) -> NoReturn:
        try:
            super()._refuse_access(*said)
        except LaunchError as error:
            name_current_files(error, self.function)
            raise

    def _give_up(self) -> None:
        vars(self.function)["_shortcut"] = _GIVEN_UP

    def _refuse(self, reason: str, name: str | None, value: object) -> NoReturn:
        raise Unknown(value if reason == "grid" else None)

    def _explain_grid(self, given: object, error: BaseException) -> None:
        """Does nothing: errors of grid functions are not converted."""

    def remember(self, kernel: Any, args: Sequence[Any], named: dict[str, Any]) -> None:
        """Caches a launch that Triton has run with these arguments."""
        if any(map(_is_intercepted, (*args, *named.values()))):
            return
        _seen.kernel = kernel
        self.count += 1
        try:
            with suppress(Unknown):  # These arguments cannot be cached.
                self._compile_only(*args, **named)
        finally:
            _seen.kernel = None
        if self.count == _MOST_KERNELS:
            self._give_up()


_QUIET = (
    ("runtime", "launch_enter_hook"),
    ("runtime", "launch_exit_hook"),
    ("runtime", "add_stages_inspection_hook"),
    ("runtime", "debug"),
    ("compilation", "instrumentation_mode"),
)
"""Triton's settings that are unset unless a launch is observed, with their groups."""


def _empty_settings(sets: dict[str, Any]) -> tuple[dict[str, Any] | list[Any], ...] | None:
    """Returns the containers that are empty while no setting of the groups is set. None if a default is set, by the
    environment, or if Triton stores a setting elsewhere."""
    try:
        defaults = [vars(type(sets[name]))[setting] for name, setting in _QUIET]
    except KeyError:
        return None
    chains = [each.calls for each in defaults if type(each).__name__ == "HookChain"]
    if any(each for each in defaults if type(each).__name__ != "HookChain"):
        return None
    return (*map(vars, sets.values()), *chains)


def _make_shortcuts(run: Callable[..., Any]) -> _runtime.Shortcuts:
    """Returns the shortcuts of all functions, with ``run`` as the fallback.

    A shortcut is used if no hook or setting observes the launch, and the CPU's driver is active.
    """
    from triton import knobs
    from triton.runtime import driver

    sets = {name: getattr(knobs, name) for name, _ in _QUIET}
    watched = tuple((vars(knobs), name, value) for name, value in sets.items())
    return _runtime.Shortcuts(run, Unknown, knobs, _QUIET, watched, _empty_settings(sets), driver)


def _is_from_triton(method: Any) -> bool:
    """Returns whether a method of a kernel is Triton's own, and not replaced by a tool."""
    from triton.runtime import jit

    return getattr(method, "__globals__", None) is vars(jit)


def _is_extended(kind: type) -> bool:
    """Returns whether a subclass of Triton's ``JITFunction`` overrides methods that a launch calls, other than
    ``__getitem__`` and ``run``, which are called in any case."""
    from triton.runtime import JITFunction

    own = {name for each in kind.__mro__[: kind.__mro__.index(JITFunction)] for name in vars(each)}
    return any(hasattr(JITFunction, name) for name in own if name != "run" and not name.startswith("__"))


@functools.cache
def install() -> None:
    """Installs the shortcuts in Triton's ``kernel[grid]`` and ``run``, unless a tool has replaced these, and protects
    ``parse`` from other threads.

    ``kernel[grid]`` is replaced where Triton defines it, so that a tool that replaces it later is called.
    """
    from triton.compiler import CompiledKernel
    from triton.runtime import Autotuner, Heuristics, JITFunction, KernelInterface

    run: Callable[..., Any] = JITFunction.run
    untraced(run, Autotuner.run, Heuristics.run)
    parse = JITFunction.parse
    JITFunction.parse = functools.wraps(parse)(lambda self: parsing.undisturbed(lambda: parse(self)))
    if not (_is_from_triton(run) and _is_from_triton(JITFunction.__getitem__)):
        return

    @functools.wraps(run)
    def shortened(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> Any:
        if warmup or not shortcuts.is_alone(self):
            return run(self, *args, grid=grid, warmup=warmup, **kwargs)
        shortcut: Shortcut | None = shortcuts.current(self)
        if shortcut is not None:
            try:
                return shortcut[grid](*args, **kwargs).of_triton
            except Unknown as unknown:
                grid = grid if unknown.grid is None else unknown.grid
        try:
            kernel = run(self, *args, grid=grid, warmup=warmup, **kwargs)
        except (LaunchError, KernelAssertionError) as error:
            name_current_files(error, self)
            raise
        if type(kernel) is CompiledKernel and isinstance(kernel.function, KernelLauncher):
            known = self._shortcut
            if known is None:
                known = _GIVEN_UP if _is_extended(type(self)) else Shortcut(self)
            vars(self)["_shortcut"] = known
            if known is not _GIVEN_UP:
                known.remember(kernel, args, kwargs)
        return kernel

    shortcuts = _make_shortcuts(shortened)
    JITFunction._shortcut = None
    JITFunction.run = shortened
    KernelInterface.__getitem__ = shortcuts
    untraced(shortened)

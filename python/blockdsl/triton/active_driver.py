"""CPU and GPU in one process, although Triton has one active driver.

Inductor activates the CPU's driver for a graph on the CPU and never undoes it, so the next launch on a GPU would be
compiled for the CPU. If another driver works, ours delegates to it, except for kernels compiled for the CPU and our
binaries. New kernels are compiled for the CPU only after ``activate`` or with ``TRITON_DEFAULT_BACKEND``; then the
device of a launch's tensors decides.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from blockdsl.errors import BlockdslError
from blockdsl.tracebacks import trim
from blockdsl.triton import aoti_grids, assembly, kernel_binary
from blockdsl.triton.driver import Driver
from blockdsl.triton.kernel_launcher import KernelLauncher
from blockdsl.triton.tracing_disabled import untraced

_launch = threading.local()
"""The device of this thread's current launch: ``cpu``, ``gpu``, or None for the driver's preference."""


class SharedUtilities:
    """Triton's ``utils`` of both drivers."""

    def __init__(self, shared: SharedDriver) -> None:
        self._shared = shared
        self._ours = shared.ours.utils

    def load_binary(self, name: str, binary: Any, *rest: Any) -> Any:
        return (self._ours if kernel_binary.is_cpu_binary(binary) else self._shared.other().utils).load_binary(
            name, binary, *rest
        )

    def unload_module(self, module: Any) -> None:
        if not isinstance(module, KernelLauncher):
            self._shared.other().utils.unload_module(module)

    def get_device_properties(self, device: Any) -> Any:
        # The index of a CPU's torch.device is None.
        is_ours = self._shared.is_cpu if device is None else device == Driver.get_current_device()
        return (self._ours if is_ours else self._shared.other().utils).get_device_properties(device)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._shared.other().utils, name)


class SharedDriver:
    """A driver that combines the CPU's and another one.

    Args:
        ours: The CPU's driver.
        make_other: Creates the other driver, or raises an error. It is called on the first use of the other driver, so
            that the CPU works on a machine without a C compiler or libcuda, where it fails.

    Attributes:
        ours: The CPU's driver.
    """

    is_alone = False

    def __init__(self, ours: Driver, make_other: Callable[[], Any]) -> None:
        self.ours = ours
        self._make_other = make_other
        self._other: Any = None
        self._prefers_cpu = False
        self.utils = SharedUtilities(self)

    def other(self) -> Any:
        """Returns the other driver."""
        if self._other is None:
            self._other = self._make_other()
        return self._other

    @property
    def is_cpu(self) -> bool:
        """Whether the current launch is for the CPU; without tensors in it, whether the CPU is preferred."""
        kind = getattr(_launch, "device_kind", None)
        return kind == "cpu" if kind else self._prefers_cpu

    def prefer_cpu(self) -> None:
        """Makes the CPU the default device."""
        self._prefers_cpu = True
        _watch_launches()

    def launcher_cls(self, source: Any, metadata: Any) -> Any:
        chosen = self.ours if metadata.target.backend == "cpu" else self.other()
        return chosen.launcher_cls(source, metadata)

    def __getattr__(self, name: str) -> Any:
        """Returns an attribute of the current launch's driver."""
        return getattr(self.ours if self.is_cpu else self.other(), name)


def other_driver() -> Callable[[], Any] | None:
    """Returns a function that creates another working driver, or returns Triton's instance; None if there is none."""
    from triton.backends import backends
    from triton.runtime import driver

    kinds = [each.driver for name, each in backends.items() if name != "cpu" and each.driver.is_active()]
    if not kinds:
        return None

    def make() -> Any:
        known = [each for each in (driver._active, driver._default) if isinstance(each, kinds[0])]
        return known[0] if known else kinds[0]()

    return make


def _device_kind(values: Iterable[Any]) -> str | None:
    """Returns the device of tensors: ``gpu`` if any is on a GPU, else ``cpu``; None without tensors."""
    result = None
    for value in values:
        if isinstance(value, tuple):
            found = _device_kind(value)
        else:
            # A descriptor's tensor is its base. A device may be a string, which is its own type.
            device = getattr(getattr(value, "base", value), "device", None)
            kind = getattr(device, "type", device)
            found = None if kind is None else "cpu" if kind == "cpu" else "gpu"
        if found == "gpu":
            return found
        result = result or found
    return result


@contextlib.contextmanager
def _launching_on(device_kind: str | None) -> Iterator[None]:
    """Context that sets the device of the current launch; None leaves it unchanged."""
    before = getattr(_launch, "device_kind", None)
    _launch.device_kind = device_kind or before
    try:
        yield
    finally:
        _launch.device_kind = before


def _on_device(run: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a launch function that selects the driver by its tensors."""

    @functools.wraps(run)
    def placed(self: Any, *args: Any, **kwargs: Any) -> Any:
        handled = sys.exc_info()[1]
        try:
            with _launching_on(_device_kind((*args, *kwargs.values()))):
                return run(self, *args, **kwargs)
        except BlockdslError as error:
            # Not @border: Dynamo recognizes Triton's `run` by its code object, which must be this function's.
            trim(error, handled)
            raise

    return placed


@functools.cache
def _watch_launches() -> None:
    """Patches Triton so that the tensors of every launch select the driver."""
    from triton import AsyncCompileMode
    from triton.compiler import CompiledKernel
    from triton.runtime import Autotuner, JITFunction

    for kind in (JITFunction, Autotuner):
        kind.run = _on_device(kind.run)
        untraced(kind.run)
    subscript = CompiledKernel.__getitem__

    @functools.wraps(subscript)
    def bound(self: Any, grid: Any) -> Any:
        return functools.partial(_on_device(lambda _, *args, **kwargs: subscript(self, grid)(*args, **kwargs)), self)

    CompiledKernel.__getitem__ = bound
    submit = AsyncCompileMode.submit

    @functools.wraps(submit)
    def submitted(self: Any, key: Any, compile_kernel: Callable[[], Any], *others: Any) -> Any:
        # The compilation runs on another thread, where a kernel may query its target.
        device_kind = getattr(_launch, "device_kind", None)

        def compile_on_device() -> Any:
            with _launching_on(device_kind):
                return compile_kernel()

        return submit(self, key, compile_on_device, *others)

    AsyncCompileMode.submit = submitted


def load(kernel: Any, init_handles: Callable[[Any], None]) -> None:
    """Loads a kernel with the driver of its target, independent of the active one."""
    from triton.backends import backends
    from triton.runtime import driver

    is_cpu = kernel.metadata.target.backend == "cpu"
    if is_cpu:
        _watch_drops()
    before = driver._active
    with _launching_on("cpu" if is_cpu else "gpu"), kernel_binary.expected(kernel.hash):
        if not is_cpu or "cpu" not in backends or isinstance(before, backends["cpu"].driver):
            init_handles(kernel)
        else:
            driver._active = backends["cpu"].driver()
            try:
                init_handles(kernel)
            finally:
                driver._active = before
    # As in Triton 3.9.
    kernel._module_pid = os.getpid()
    if isinstance(kernel.function, KernelLauncher):
        if "torch._inductor.codegen.cpp_wrapper_cpu" in sys.modules:
            aoti_grids.install()
        # If another process has compiled the kernel, its stages are not available yet.
        assembly.describe(kernel)


@functools.cache
def _watch_drops() -> None:
    """Makes the deletion of our kernels bypass Triton, which since 3.9 unloads kernels with the active driver."""
    from triton import knobs
    from triton.compiler import CompiledKernel

    drop = getattr(CompiledKernel, "__del__", None)
    if drop is None:
        return

    @functools.wraps(drop)
    def dropped(self: Any) -> None:
        if getattr(self, "module", None) is not None and self.metadata.target.backend == "cpu":
            # Our kernels are reference counted. A forked child inherits kernels that it has not loaded itself.
            hook = knobs.runtime.kernel_unload_hook
            if hook is not None and self._module_pid == os.getpid():
                hook(self.module, self.function, self.name, self.metadata_group, self.hash)
            self.module = None
        drop(self)

    CompiledKernel.__del__ = dropped

"""Compilation of kernels on other threads: Triton's ``AsyncCompileMode``."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable
from concurrent.futures import Executor, Future
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any

from blockdsl.errors import LaunchError
from blockdsl.tracebacks import border

active_mode: ContextVar[AsyncCompileMode | None] = ContextVar("active_mode", default=None)


class FutureKernel:
    """A kernel that is being compiled. It has the kernel's attributes, and waits for the compilation on first use.

    A child that was forked meanwhile does not have the compiling thread, and compiles the kernel itself.
    """

    def __init__(self, future: Future[Any], compile_fn: Callable[[], Any] | None = None) -> None:
        self.future = future
        self._compile = compile_fn
        self._process = os.getpid()
        self._made: list[Any] = []
        future.add_done_callback(self._keep)

    def _keep(self, future: Future[Any]) -> None:
        if not future.cancelled() and future.exception() is None:
            self._made.append(future.result())

    @border
    def result(self, ignore_errors: bool = False) -> Any:
        """Returns the compiled kernel. Raises the error of the compilation, or returns None if errors are ignored."""
        try:
            if os.getpid() != self._process and self._compile is not None:
                if not self._made:
                    self._made.append(self._compile())
                return self._made[0]
            return self.future.result()
        except Exception:
            if ignore_errors:
                return None
            raise

    def __getattr__(self, name: str) -> Any:
        return getattr(self.result(), name)

    def __getitem__(self, grid: object) -> Any:
        return self.result()[grid]


class AsyncCompileMode:
    """Context in which ``warmup`` compiles on an executor's threads. Its end waits for all compilations.

    Args:
        executor: Such as a ``ThreadPoolExecutor``.
        ignore_errors: Failed compilations raise nothing at the end.

    Example:
        with ThreadPoolExecutor(4) as pool, blockdsl.AsyncCompileMode(pool):
            kernels = [add.warmup(*[torch.float32] * 3, 1024, BLOCK=size, grid=(1,)) for size in (64, 256, 1024)]
    """

    def __init__(self, executor: Executor, *, ignore_errors: bool = False) -> None:
        self.executor = executor
        self.ignore_errors = ignore_errors
        self._process = os.getpid()
        self.future_kernels: dict[Hashable, FutureKernel] = {}
        self._token: Token[AsyncCompileMode | None] | None = None

    def submit(self, key: Hashable, compile_fn: Callable[[], Any]) -> FutureKernel:
        """Submits a compilation, unless one with the same key has been submitted."""
        if key not in self.future_kernels:
            # In a forked child the executor has no threads.
            is_child = os.getpid() != self._process
            future: Future[Any] = Future() if is_child else self.executor.submit(compile_fn)
            kernel = self.future_kernels[key] = FutureKernel(future, compile_fn)
            kernel._process = self._process
        return self.future_kernels[key]

    @border
    def __enter__(self) -> AsyncCompileMode:
        if active_mode.get() is not None:
            raise LaunchError("an AsyncCompileMode is active already", hint="enter one, and submit all to it")
        self._token = active_mode.set(self)
        return self

    @border
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._token is not None:
            active_mode.reset(self._token)
        kernels, self.future_kernels = list(self.future_kernels.values()), {}
        for kernel in kernels:
            kernel.result(self.ignore_errors)

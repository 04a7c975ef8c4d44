"""Threads and stacks of compilations. A stack has a gigabyte of address space, committed on first use.

Passes of MLIR and LLVM recurse along chains of ops, and a kernel may first be launched on a thread with a small
stack.
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from blockdsl import _runtime, forks

P = ParamSpec("P")
T = TypeVar("T")

_POLL = 0.5
"""Seconds between two checks for a fork."""


def on_deep_stack(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls ``function`` on this thread, with a stack for deep recursion in C++. Results and exceptions are
    passed on, and signals are handled as in any call.

    Example:
        entry = on_deep_stack(compile, program)
    """
    with forks.delayed_forks():
        # The extension is large, and programs that load all kernels from the disk cache do not need it.
        from blockdsl import _native

        call = functools.partial(function, *args, **kwargs)
        return _runtime.call_compiler(functools.partial(_native.call_deep, call))


def on_compile_thread(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls ``function`` on another thread if this is the main one, which handles signals meanwhile. The result is
    dropped if a handler raises.

    Example:
        code = on_compile_thread(cpu.emit_object, llvm_ir, target)
    """
    if threading.current_thread() is not threading.main_thread():
        return function(*args, **kwargs)
    results: list[T] = []
    errors: list[BaseException] = []
    # Not an event: a KeyboardInterrupt in the middle of its `wait` leaves it inconsistent.
    running = threading.Lock()
    running.acquire()

    def work() -> None:
        try:
            with forks.delayed_forks(is_waited_for=True):
                results.append(on_deep_stack(function, *args, **kwargs))
        except BaseException as error:
            errors.append(error)
        finally:
            running.release()

    process = os.getpid()
    threading.Thread(target=work, daemon=True, name="blockdsl-llvm").start()
    while not running.acquire(timeout=_POLL):
        if os.getpid() != process:
            # A signal handler has forked, and this is the child, without the other thread.
            return on_deep_stack(function, *args, **kwargs)
    if errors:
        raise errors[0]
    return results[0]

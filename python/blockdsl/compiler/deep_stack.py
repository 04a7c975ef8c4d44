"""Where compilations run: on a stack of a gigabyte, of which only what is touched becomes memory.

Our passes, MLIR and LLVM recurse along chains of ops, and a kernel may first be launched on a thread with a small
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
"""Seconds between two checks whether this is still the process that began."""


def on_deep_stack(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls ``function`` on this thread, with room for deep recursion in C++. What it returns and raises comes back as
    it is, and signals are heard as in any call.

    Example:
        entry = on_deep_stack(compile, program)
    """
    with forks.held_off():
        # The extension is large; programs that take all kernels from the disk cache do without.
        from blockdsl import _native

        call = functools.partial(function, *args, **kwargs)
        return _runtime.call_compiler(functools.partial(_native.call_deep, call))


def beside(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls ``function``, in which no signal is heard, so that the main thread hears them: there the work is another
    thread's, and where a handler raises, what it makes is dropped.

    Example:
        code = beside(cpu.emit_object, llvm_ir, target)
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
            with forks.held_off(is_waited_for=True):
                results.append(on_deep_stack(function, *args, **kwargs))
        except BaseException as error:
            errors.append(error)
        finally:
            running.release()

    process = os.getpid()
    threading.Thread(target=work, daemon=True, name="blockdsl-llvm").start()
    while not running.acquire(timeout=_POLL):
        if os.getpid() != process:
            # A signal's handler has forked, and this is the child, which does not have the other thread.
            return on_deep_stack(function, *args, **kwargs)
    if errors:
        raise errors[0]
    return results[0]

"""Where compilations run: on a stack of a gigabyte, of which only what is touched becomes memory.

Our passes, MLIR and LLVM recurse along chains of ops, and a kernel may first be launched on a thread with a small
stack.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from blockdsl import _runtime

P = ParamSpec("P")
T = TypeVar("T")


def on_deep_stack(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Calls ``function`` on this thread, with room for deep recursion in C++. What it returns and raises comes back as
    it is, and signals are heard as in any call.

    Example:
        entry = on_deep_stack(compile, program)
    """
    # The extension is large; who takes all kernels from the disk cache does without.
    from blockdsl import _native

    return _runtime.call_compiler(functools.partial(_native.call_deep, functools.partial(function, *args, **kwargs)))


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
    done = threading.Event()

    def work() -> None:
        try:
            results.append(on_deep_stack(function, *args, **kwargs))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=work, daemon=True, name="blockdsl-llvm").start()
    done.wait()
    if errors:
        raise errors[0]
    return results[0]

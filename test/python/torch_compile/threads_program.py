"""Compiles and runs a function in each of many threads, which all begin at once, and prints the errors.

With ``first``, ``blockdsl.torch_compile`` is imported before torch. With ``only``, nothing is compiled: each of 16
threads makes its function and does not call it.
"""

from __future__ import annotations

import sys
import threading

if "first" in sys.argv:
    import blockdsl.torch_compile  # noqa: F401
import torch

THREADS = 16 if "only" in sys.argv else 3
gate = threading.Barrier(THREADS)
wrong: list[str] = []
right: list[int] = []


def work(number: int) -> None:
    x = torch.arange(1000.0) + number
    gate.wait()
    try:
        compiled = torch.compile(lambda x: torch.sin(x) * (number + 1) + x, backend="blockdsl")
        if "only" not in sys.argv:
            torch.testing.assert_close(compiled(x), torch.sin(x) * (number + 1) + x)
        right.append(number)
    except BaseException as error:
        wrong.append(f"{type(error).__name__}: {error}")


threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(f"{len(right)} right", *wrong[:2])

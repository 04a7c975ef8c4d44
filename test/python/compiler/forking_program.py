"""Forks again and again while a thread compiles, or loads kernels from the disk cache; each child launches kernels.

The thread begins with the process's first launch, which imports the compiler. Prints how many children ended well.
"""

from __future__ import annotations

import faulthandler
import linecache
import os
import sys
import threading
import time
from typing import Any

import numpy as np

import blockdsl
import blockdsl.language as tl

CHILDREN = int(sys.argv[2])


def kernel(number: int) -> Any:
    text = (f"@blockdsl.jit\ndef k(x, B: tl.constexpr):\n    at = tl.arange(0, B)\n"
            f"    tl.store(x + at, at + {number}.5 + tl.cumsum(tl.load(x + at), 0))\n")  # fmt: skip
    file = f"<k{number}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    names: dict[str, Any] = {"blockdsl": blockdsl, "tl": tl}
    exec(compile(text, file, "exec"), names)
    return names["k"]


def launch(number: int) -> bool:
    x = np.zeros(64, np.float32)
    kernel(number)[(1,)](x, B=64)
    return bool(x[3] == 3.5 + number)


def work() -> None:
    number = 100
    while not stopped:
        launch(number if sys.argv[1] == "compile" else 5)
        number += 1


stopped: list[bool] = []
thread = threading.Thread(target=work)
thread.start()
good = 0
for _ in range(CHILDREN):
    time.sleep(0.013)
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(60, exit=True)
        os._exit(0 if launch(5) and launch(7) else 3)
    good += os.waitpid(child, 0)[1] == 0
stopped.append(True)
thread.join()
print(f"{good} of {CHILDREN}")

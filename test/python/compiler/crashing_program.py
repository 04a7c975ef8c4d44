"""Run by test_compiling_apart.py: LLVM's assertion, or exit, ends this process while a kernel is compiled in it."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from types import FrameType

import crashing_answers
import numpy as np

import blockdsl
import blockdsl.language as tl

assert crashing_answers.answer


@blockdsl.jit
def broken(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


@blockdsl.jit
def whole(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


@blockdsl.jit
def beyond(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1.0)


heard: list[int] = []


def hear(number: int, frame: FrameType | None) -> None:
    heard.append(number)


case = sys.argv[1]
if case == "faulthandler":
    faulthandler.enable()
if case == "own handler":
    signal.signal(signal.SIGFPE, hear)
    whole[(1,)](np.zeros(64, np.float32), 64)
    os.kill(os.getpid(), signal.SIGFPE)
    assert heard == [signal.SIGFPE]
    assert signal.getsignal(signal.SIGSEGV) == signal.SIG_DFL
    print("heard", flush=True)
elif case == "after":
    whole[(1,)](np.zeros(64, np.float32), 64)
    os.abort()
elif case == "exit after":
    whole[(1,)](np.zeros(64, np.float32), 64)
    sys.exit(3)
elif case == "exit":
    beyond[(1,)](np.zeros(64, np.float32), 64)
else:
    broken[(1,)](np.zeros(64, np.float32), 64)

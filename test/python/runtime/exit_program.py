"""Run by test_exit.py: the interpreter ends while daemon threads launch."""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time


def launch_late() -> None:
    """Registered before blockdsl's own callback, so it runs after that: on the thread that may still launch."""
    if case == "late callback":
        result = torch.zeros(64)
        add_one[(4,)](result, 16)
        print("late:", result.sum().item(), flush=True)


atexit.register(launch_late)

import torch  # noqa: E402

import blockdsl  # noqa: E402
import blockdsl.language as tl  # noqa: E402

case = sys.argv[1]


@blockdsl.jit
def add_one(x, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + at, tl.load(x + at) + 1)


@blockdsl.jit
def shrink(x, iterations, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at)
    for _ in range(iterations):
        value = value * 0.999 + 0.001
    tl.store(x + at, value)


@blockdsl.jit
def spin(flag):
    while tl.load(flag, volatile=True) != 0:
        pass


@blockdsl.jit
def large(x, BLOCK: tl.constexpr, COUNT: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    for k in tl.static_range(COUNT):
        value = tl.exp(value) * tl.load(x + k * BLOCK + at) + k
        tl.store(x + at + k * BLOCK, value)


class Slow:
    """Ends late, during finalization of the interpreter."""

    def __del__(self, sleep=time.sleep) -> None:
        sleep(2)


def daemon(launch) -> None:
    threading.Thread(target=launch, daemon=True).start()


x = torch.ones(1 << 16)
flag = torch.zeros(1, dtype=torch.int32)
add_one[(4,)](x, 16)
shrink[(2,)](x, 10, 64)
for _ in range(20):
    spin[(1,)](flag)  # Once the kernel is known to be short, it is launched without releasing the GIL.


def launch_small() -> None:
    while True:
        add_one[(4,)](x, 16)


def launch_large() -> None:
    while True:
        add_one[(4096,)](x, 16)


if case in ("long", "fork"):
    daemon(lambda: shrink[(1000,)](x, 100_000, 64))
elif case in ("endless", "no reference", "late callback"):
    flag.fill_(1)
    daemon(lambda: spin[(4,)](flag))
elif case == "endless and small":
    flag.fill_(1)
    daemon(lambda: spin[(1,)](flag))
elif case == "many":
    for _ in range(3):
        daemon(launch_small)
        daemon(launch_large)
elif case.startswith("compiling"):
    daemon(lambda: large[(1,)](x, 64, 300))
    time.sleep(float(case.split()[2].rstrip(",")))
    if case.endswith("slowly"):
        slow = Slow()
elif case == "not a daemon":
    counted = torch.zeros(64)
    threading.Thread(target=lambda: [time.sleep(0.2), add_one[(4,)](counted, 16), print(counted.sum().item())]).start()
time.sleep(0.1)
if case == "no reference":
    # Tensors that the launch reads must outlive it.
    del x, flag
if case == "fork" and os.fork() != 0:
    raise SystemExit(os.waitstatus_to_exitcode(os.wait()[1]))

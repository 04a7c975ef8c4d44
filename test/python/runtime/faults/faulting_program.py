"""Run by test_fault_reports.py: a kernel accesses memory that does not exist.

Its offsets are loaded, because offsets that are computed from numbers are checked at the launch.
"""

from __future__ import annotations

import faulthandler
import signal
import sys

import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import _runtime


@blockdsl.jit
def store_far(y, k, BLOCK: tl.constexpr):
    tl.store(y + tl.load(k) + tl.arange(0, BLOCK), 1.0)


@blockdsl.jit
def load_far(x, y, k, BLOCK: tl.constexpr):
    tl.store(y + tl.arange(0, BLOCK), tl.load(x - tl.load(k) + tl.arange(0, BLOCK)))


@blockdsl.jit
def second_half_far(x, y, k, BLOCK: tl.constexpr):
    """The programs of the second half store far away; a worker begins with them."""
    program = tl.program_id(0)
    at = program * BLOCK + tl.arange(0, BLOCK)
    far = (program >= tl.num_programs(0) // 2).to(tl.int64) * tl.load(k)
    tl.store(y + far + at, tl.exp(tl.load(x + at)))


def store() -> None:
    store_far[(1, 2)](torch.zeros(64), torch.tensor(2**30), BLOCK=64)


def load() -> None:
    load_far[(1,)](torch.zeros(64, dtype=torch.int64), torch.zeros(64), torch.tensor(2**38), BLOCK=64)


def on_threads(whose: str) -> None:
    _runtime.set_num_threads(2)
    _runtime.set_workers(whose)
    x, y = torch.zeros(2, 1 << 20)
    for k in (0, 0, 0, 2**38):
        second_half_far[(1024,)](x, y, torch.tensor(k), BLOCK=1024)


def stock() -> None:
    import stock as kernels

    kernels.store_far[(1,)](torch.zeros(64), torch.tensor(2**30), BLOCK=64)


def beside_faulthandler() -> None:
    faulthandler.enable()
    store()


def outside_of_kernels() -> None:
    store_far[(1,)](torch.zeros(64), torch.tensor(0), BLOCK=64)
    import ctypes

    ctypes.string_at(8)


def sent() -> None:
    store_far[(1,)](torch.zeros(64), torch.tensor(0), BLOCK=64)
    signal.raise_signal(signal.SIGSEGV)


CASES = {
    "store": store,
    "load": load,
    "torch": lambda: on_threads("torch"),
    "own": lambda: on_threads("own"),
    "stock": stock,
    "faulthandler": beside_faulthandler,
    "outside": outside_of_kernels,
    "sent": sent,
}
CASES[sys.argv[1]]()

"""Run by test_tuples.py: a kernel that reads a named element of a named tuple with the fields in its arguments."""

from __future__ import annotations

import collections
import sys

import torch

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def left(out, pair):
    tl.store(out, pair.left)


def main() -> None:
    pair = collections.namedtuple("pair", sys.argv[1:])
    out = torch.zeros(1)
    left[(1,)](out, pair(1.0, 2.0))
    print(out.item())


main()

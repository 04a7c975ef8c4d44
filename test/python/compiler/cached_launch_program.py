"""Launches a kernel once, and prints the modules that the launch imported."""

from __future__ import annotations

import sys

import torch

from examples.vector_add import add


def main() -> None:
    x, out = torch.ones(64), torch.empty(64)
    before = set(sys.modules)
    add(x, x, out)
    assert (out == 2).all()
    print(*sorted(set(sys.modules) - before))


if __name__ == "__main__":
    main()

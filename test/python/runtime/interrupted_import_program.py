"""Run by test_interrupted_launches.py: Ctrl-C at the end of the import of an extension module."""

from __future__ import annotations

import importlib
import sys
from importlib.machinery import ExtensionFileLoader
from types import ModuleType
from typing import Any

import torch

waiting = {"blockdsl._native", "blockdsl._runtime"}
executed: dict[str, ModuleType] = {}
execute = ExtensionFileLoader.exec_module


def execute_then_interrupt(self: ExtensionFileLoader, module: ModuleType) -> None:
    execute(self, module)
    if module.__name__ in waiting:
        waiting.remove(module.__name__)
        executed[module.__name__] = module
        raise KeyboardInterrupt


loader: Any = ExtensionFileLoader
loader.exec_module = execute_then_interrupt

try:
    importlib.import_module("blockdsl")
except KeyboardInterrupt:
    import blockdsl
    import blockdsl.language as tl


@blockdsl.jit
def increment(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) + 1, mask=at < n)


x, y = torch.arange(4096, dtype=torch.float32), torch.zeros(4096)
try:
    increment[(4,)](x, y, 4096, BLOCK=1024)
except KeyboardInterrupt:
    increment[(4,)](x, y, 4096, BLOCK=1024)
assert torch.equal(y, x + 1)

assert not waiting
for name, first in executed.items():
    again = sys.modules[name]
    assert again is not first
    types = [each for each, value in vars(first).items() if isinstance(value, type)]
    assert types and all(getattr(again, each) is getattr(first, each) for each in types)
print("right")

"""A fork while another thread imports the back end, at the first launch of a program."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import importlib.machinery, os, signal, sys, threading, time
import torch
import triton
import triton.language as tl


@triton.jit
def doubled(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at) * 2)


def launch():
    x, out = torch.arange(64.0), torch.zeros(64)
    doubled[(1,)](x, out, BLOCK=64)
    assert torch.equal(out, x * 2)


begun = threading.Event()


class Slow(importlib.machinery.SourceFileLoader):
    def exec_module(self, module):
        begun.set()
        time.sleep(1)
        super().exec_module(module)


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "blockdsl.triton.driver":
            return None
        found = importlib.machinery.PathFinder.find_spec(name, path)
        found.loader = Slow(name, found.origin)
        return found


sys.meta_path.insert(0, Finder)
thread = threading.Thread(target=launch)
thread.start()
assert begun.wait(60)
child = os.fork()
if child == 0:
    signal.alarm(60)
    launch()
    os._exit(0)
status = os.waitpid(child, 0)[1]
thread.join()
sys.exit(status != 0)
"""


def test_a_child_forked_during_the_import_launches(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    environment = {**os.environ, "TRITON_DEFAULT_BACKEND": "cpu", "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    done = subprocess.run([sys.executable, program], capture_output=True, text=True, timeout=150, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]

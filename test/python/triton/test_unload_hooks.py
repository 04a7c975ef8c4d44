"""Hooks around loading, in a process and in its forked children."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from typing import Any

import pytest
import triton
import triton.language as tl
from triton.compiler import CompiledKernel

import blockdsl
import blockdsl.language as our_tl


@triton.jit
def stock_copy(x_ptr, y_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at))


@blockdsl.jit
def our_copy(x_ptr, y_ptr, BLOCK: our_tl.constexpr):
    at = our_tl.arange(0, BLOCK)
    our_tl.store(y_ptr + at, our_tl.load(x_ptr + at))


def compiled(whose: str, block: int) -> Any:
    """Returns a kernel without other references."""
    if whose == "ours":
        return blockdsl.compile(our_copy, {"x_ptr": "*fp32", "y_ptr": "*fp32"}, {"BLOCK": block})
    signature = {"x_ptr": "*fp32", "y_ptr": "*fp32", "BLOCK": "constexpr"}
    return triton.compile(triton.compiler.ASTSource(stock_copy, signature, {"BLOCK": block}))


def in_a_child(run: Callable[[], bytes]) -> bytes:
    """Returns the output of a forked child, which ends like a child of multiprocessing."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, run())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        text = pipe.read()
    assert os.waitpid(child, 0)[1] == 0
    return text


@pytest.mark.parametrize("whose", ["stock", "ours"])
def test_forked_child_unloads_its_own_modules(whose: str, capfd: pytest.CaptureFixture[str]) -> None:
    library: Any = triton if whose == "stock" else blockdsl
    if whose == "stock" and not hasattr(CompiledKernel, "__del__"):
        # Before 3.9 Triton unloads nothing.
        assert not hasattr(triton.knobs.runtime, "kernel_unload_hook")
        return
    unloaded: list[str] = []

    def hook(module: Any, handle: Any, name: str, group: Any, key: str) -> None:
        # Not the kernels of other tests.
        if name in ("our_copy", "stock_copy"):
            unloaded.append(name)

    def loaded(block: int) -> list[Any]:
        kernel = compiled(whose, block)
        kernel._init_handles()
        return [kernel]

    hooks = library.knobs.runtime.kernel_unload_hook
    gc.collect()
    hooks.add(hook)
    try:
        parent_kernel = loaded(8)

        def child() -> bytes:
            parent_kernel.clear()
            gc.collect()
            inherited = len(unloaded)
            own = loaded(16)
            own.clear()
            gc.collect()
            return f"{inherited} {len(unloaded)}".encode()

        assert in_a_child(child) == b"0 1"
        assert unloaded == []
        parent_kernel.clear()
        gc.collect()
        assert len(unloaded) == 1
    finally:
        hooks.remove(hook)
    assert capfd.readouterr() == ("", "")

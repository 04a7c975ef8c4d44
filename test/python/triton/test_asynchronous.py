"""Tests of kernels that other threads compile, by ``triton.AsyncCompileMode``."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from triton.runtime import _async_compile

import blockdsl
from blockdsl.triton import pipeline


@triton.jit
def scaled(x_ptr, out_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    tl.static_assert(FACTOR > 0, "no factor")
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) * FACTOR, mask=at < n)


def warm(factor: int) -> Any:
    return scaled.warmup(torch.float32, torch.float32, 500, FACTOR=factor, BLOCK=512, grid=(1,))


@pytest.fixture(autouse=True)
def nothing_compiled() -> Iterator[None]:
    scaled.device_caches.clear()
    yield
    # Triton 3.6 does not leave the mode after a failed compilation.
    _async_compile.active_mode.set(None)


def test_other_threads_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: set[int] = set()
    compile_text = pipeline.add_stages

    def watched(*args: Any) -> None:
        threads.add(threading.get_ident())
        compile_text(*args)

    monkeypatch.setattr(pipeline, "add_stages", watched)
    with ThreadPoolExecutor(2) as pool, triton.AsyncCompileMode(pool):
        kernels = [warm(factor) for factor in (1, 2, 3, 4)]
    assert threads
    assert threading.get_ident() not in threads
    x, out = torch.randn(2, 500)
    for factor, kernel in enumerate(kernels, 1):
        # The second launch bypasses Triton's binder.
        for _ in range(2):
            out.zero_()
            launched = scaled[(1,)](x, out, 500, FACTOR=factor, BLOCK=512)
            assert torch.equal(out, x * factor)
        assert launched is kernel.result()


def test_a_launch_waits_for_its_kernel() -> None:
    x, out = torch.randn(2, 500)
    with ThreadPoolExecutor(1) as pool, triton.AsyncCompileMode(pool):
        warm(2)
        for _ in range(3):
            out.zero_()
            scaled[(1,)](x, out, 500, FACTOR=2, BLOCK=512)
            assert torch.equal(out, 2 * x)


@pytest.mark.parametrize("ignored", [False, True])
def test_a_kernel_that_does_not_compile(ignored: bool) -> None:
    def both() -> None:
        with ThreadPoolExecutor(1) as pool, triton.AsyncCompileMode(pool, ignore_errors=ignored):
            warm(0)
            warm(5)

    if ignored:
        both()
        x, out = torch.randn(2, 500)
        scaled[(1,)](x, out, 500, FACTOR=5, BLOCK=512)
        assert torch.equal(out, 5 * x)
    else:
        with pytest.raises(triton.CompilationError, match="no factor"):
            both()


@triton.jit
def refused(x_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    y = tl.inline_asm_elementwise("activemask.b32 $0;", "=r,r", [x], dtype=tl.float32, is_pure=True, pack=1)
    tl.store(x_ptr + at, y)


def test_errors_have_the_kernel_line() -> None:
    with (
        pytest.raises(blockdsl.errors.CompilationError, match=r"'activemask\.b32 \$0' is not among") as caught,
        ThreadPoolExecutor(1) as pool,
        triton.AsyncCompileMode(pool),
    ):
        refused.warmup(torch.float32, BLOCK=16, grid=(1,))
    assert caught.value.location is not None
    assert caught.value.location.file == __file__

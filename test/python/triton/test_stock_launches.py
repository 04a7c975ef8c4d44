"""Tests of repeated launches, which bypass Triton's binder: their kernels, and launches that do use the binder."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
import triton.language as tl
from repeated_launches import Binder, checked, scale

import blockdsl
from blockdsl.errors import LaunchError
from blockdsl.triton.kernel_launcher import DEVICE

FACTOR = tl.constexpr(3)


@triton.jit
def scale_by_global(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, FACTOR * tl.load(x_ptr + at, mask=at < n), mask=at < n)


@triton.jit
def add_up(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + tl.load(y_ptr + at, mask=at < n), mask=at < n)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + tl.load(out_ptr + at, mask=at < n), mask=at < n)


@pytest.fixture
def binder(monkeypatch: pytest.MonkeyPatch) -> Binder:
    return Binder(monkeypatch, scale, scale_by_global, checked, add_up)


def test_second_launch_is_cached_and_gives_the_same(binder: Binder) -> None:
    x, out = torch.randn(2, 100)
    first = scale[(2,)](x, out, 100)
    assert binder.times == 1
    out.zero_()
    assert scale[(2,)](x, out, 100) is first
    assert scale[lambda meta: (triton.cdiv(meta["n"], meta["BLOCK"]),)](x, out_ptr=out, n=100, factor=2) is first
    assert torch.equal(out, 2 * x)
    assert binder.times == 1


def test_kernels_are_distinguished_as_in_triton(binder: Binder) -> None:
    x, out = torch.randn(2, 128)
    launches: list[dict[str, Any]] = [
        {"n": 100}, {"n": 112}, {"n": 1}, {"n": 100, "factor": 3}, {"n": 100, "factor": 2.5}, {"n": 100, "BLOCK": 32},
        {"n": 100, "num_warps": 8}, {"n": 100, "enable_fp_fusion": False},
    ]  # fmt: skip
    for _ in range(2):
        kernels = set()
        for given in launches:
            out.zero_()
            kernels.add(scale[(4,)](x, out, **given).hash)
            n = given["n"]
            assert torch.equal(out[:n], given.get("factor", 2) * x[:n])
            assert not out[n:].any()
        # Another float uses the same kernel, and so does 3 in place of 2.
        assert len(kernels) == len(launches) - 1
        assert binder.times == len(launches) - 1


@pytest.mark.parametrize("warps", [0, -4, 3, 48])
def test_warps_are_a_power_of_two(warps: int) -> None:
    x, out = torch.randn(2, 100)
    with pytest.raises(AssertionError, match=f"num_warps must be a power of 2, got {warps}"):
        scale[(2,)](x, out, 100, num_warps=warps)


def test_other_types_and_addresses(binder: Binder) -> None:
    for dtype in (torch.float32, torch.float64, torch.int32):
        for start in (0, 1):
            x = torch.arange(101).to(dtype)
            out = torch.zeros(101, dtype=dtype)
            for _ in range(2):
                scale[(2,)](x[start:], out[start:], 100)
            assert torch.equal(out[start : start + 100], 2 * x[start : start + 100])
    assert binder.times == 6


def test_arguments_that_overlap(binder: Binder) -> None:
    memory = torch.randn(200)
    for _ in range(2):
        for x, y, out in ((0, 64, 128), (0, 0, 0), (0, 1, 2), (0, 64, 1), (64, 64, 0)):
            expected = memory.clone()
            expected[out : out + 50] = expected[x : x + 50] + expected[y : y + 50]
            expected[out : out + 50] = expected[x : x + 50] + expected[out : out + 50]
            actual = memory.clone()
            add_up[(1,)](actual[x:], actual[y:], actual[out:], 50, BLOCK=64)
            assert torch.equal(actual, expected), (x, y, out)


@triton.jit
def constants_first(BLOCK: tl.constexpr, FACTOR: tl.constexpr, x_ptr, n, out_ptr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, FACTOR * tl.load(x_ptr + at, mask=at < n), mask=at < n)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + tl.load(out_ptr + at, mask=at < n), mask=at < n)


@pytest.mark.parametrize("cached", ["0", "1"])
def test_both_launch_paths_choose_the_same_variant(
    binder: Binder, monkeypatch: pytest.MonkeyPatch, cached: str
) -> None:
    # One kernel in our cache, which numbers parameters without constants; without the cache both paths compile.
    monkeypatch.setenv("BLOCKDSL_CACHE", cached)
    for order in ("shortcut first", "kernel first"):
        expected = torch.arange(120.0)
        actual = expected.clone()
        for at in (1, 60):
            expected[at : at + 50] = 2 * expected[:50].clone()
            expected[at : at + 50] = expected[:50].clone() + expected[at : at + 50]
        kernel = constants_first.warmup(64, 2, torch.float32, 50, torch.float32, grid=(1,))
        if order == "shortcut first":
            constants_first[(1,)](64, 2, actual, 50, actual[60:])  # Remembered; and overwritten below.
            actual = torch.arange(120.0)
            for at in (1, 60):
                constants_first[(1,)](64, 2, actual, 50, actual[at:])
        else:
            for at in (1, 60):
                kernel[(1, 1, 1)](64, 2, actual, 50, actual[at:])
        assert torch.equal(actual, expected), order
        # Compiled kernels are found in the disk cache, not in memory.
        constants_first.device_caches.clear()
        constants_first.__dict__.pop("_shortcut", None)


def test_changed_global_raises_the_triton_error(binder: Binder, monkeypatch: pytest.MonkeyPatch) -> None:
    x, out = torch.randn(2, 50)
    for _ in range(2):
        scale_by_global[(1,)](x, out, 50, BLOCK=64)
    assert binder.times == 1
    assert torch.equal(out, 3 * x)
    monkeypatch.setitem(globals(), "FACTOR", tl.constexpr(4))
    with pytest.raises(RuntimeError, match="FACTOR has changed"):
        scale_by_global[(1,)](x, out, 50, BLOCK=64)


def test_kernels_that_were_dropped_are_compiled_again(binder: Binder) -> None:
    x, out = torch.randn(2, 100)
    for _ in range(2):
        scale[(2,)](x, out, 100)
    scale.device_caches.clear()
    for _ in range(2):
        scale[(2,)](x, out, 100)
    assert binder.times == 2


def test_a_kernel_whose_text_changes_is_compiled_again(binder: Binder) -> None:
    x, out = torch.randn(2, 100)
    text = scale.src
    for changed, factor in ((text, 2), (text.replace("factor * ", "-factor * "), -2), (text, 2)):
        scale._unsafe_update_src(changed)
        scale.device_caches[DEVICE][0].clear()
        for _ in range(3):
            scale[(2,)](x, out, 100)
            assert torch.equal(out, factor * x)
    assert binder.times == 3


def test_errors_match_triton(binder: Binder) -> None:
    x, out = torch.randn(2, 100)
    for _ in range(2):
        scale[(2,)](x, out, 100)
    with pytest.raises(KeyError, match="num_wraps"):
        scale[(2,)](x, out, 100, num_wraps=4)
    with pytest.raises(TypeError):
        scale[(2,)](x)
    with pytest.raises(TypeError):
        scale[(2,)](x, out, [100])
    with pytest.raises(blockdsl.errors.LaunchError, match="grid"):
        scale[(-2,)](x, out, 100)
    with pytest.raises(ZeroDivisionError):
        scale[lambda meta: 1 // 0](x, out, 100)


def test_an_assertion_fails_here_too(binder: Binder) -> None:
    x = torch.zeros(50)
    for _ in range(2):
        checked[(1,)](x, 50, BLOCK=64, debug=True)
    x[3] = -1
    with pytest.raises(blockdsl.errors.KernelAssertionError, match="x is negative"):
        checked[(1,)](x, 50, BLOCK=64, debug=True)
    assert binder.times == 1


def test_always_new_strings_do_not_leak(binder: Binder) -> None:
    @triton.jit
    def named(out_ptr, NAME: tl.constexpr):
        if NAME == "seven":
            tl.store(out_ptr, 7.0)

    out = torch.zeros(1)
    for _ in range(300):
        named[(1,)](out, "".join(["se", "ven"]))
    assert out.item() == 7
    assert named.__dict__["_shortcut"] is False


def test_grid_function_is_called_once_per_launch(binder: Binder) -> None:
    x, out = torch.randn(2, 100)
    calls = []

    def grid(meta: dict[str, Any]) -> tuple[int]:
        calls.append(meta["BLOCK"])
        return (triton.cdiv(meta["n"], meta["BLOCK"]),)

    # A new key, a known one, and a new one for a kernel with known ones.
    for times, n, factor in ((1, 100, 2), (1, 100, 2), (2, 96, 2), (3, 96, 2.5)):
        calls.clear()
        scale[grid](x, out, n, factor)
        assert (calls, binder.times) == ([64], times)

    def refused(meta: dict[str, Any]) -> tuple[float]:
        calls.append(meta["BLOCK"])
        return (2.0,)

    calls.clear()
    with pytest.raises(LaunchError, match=r"expects integers, got float 2\.0"):
        scale[refused](x, out, 100)
    assert calls == [64]


def test_a_kernel_without_a_grid_is_refused() -> None:
    with pytest.raises(TypeError, match="a kernel takes a grid"):
        triton.JITFunction.__getitem__(scale)


def test_integer_of_a_declared_type_matches_triton():
    """Tools count a function's kernels: cached launches must leave as many as Triton's binder."""

    @triton.jit
    def put(x_ptr, value: tl.int32):
        tl.store(x_ptr, value)

    x = torch.empty(1, dtype=torch.int32)
    for _ in range(2):
        for value in (1, 8, 16, 17, 1, 32):
            put[(1,)](x, value)
            assert x.item() == value
    assert len(put.device_caches[DEVICE][0]) == 3

"""Tests of stack frames: the reported size is the size in use, and one beyond the limit is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from benchmarks import long_kernels
from blockdsl.backends import cpu, stack_frames
from blockdsl.compiler import cpu_kernel
from blockdsl.errors import OutOfResourcesError
from examples import layer_norm, matmul, softmax, vector_add

HELD = """
declare void @use(ptr)
define void @held() {
  %buffer = alloca [100000 x i8], align 64
  call void @use(ptr %buffer)
  ret void
}
"""


@pytest.mark.parametrize("triple", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"])
def test_frame_size_is_read_from_machine_code(triple: str) -> None:
    code = cpu.emit_object(HELD, cpu.CPU(triple, "", ()))
    assert 100_000 <= stack_frames.frames(code)["held"] <= 100_000 + 4096


@pytest.mark.parametrize("part", ["0", "1", "loops"])
def test_parts_of_equal_depth_share_stack(part: str) -> None:
    """Outlined pieces and loops do not call each other."""
    names = ["k.programs", f"k.programs.{part}.0", f"k.programs.{part}.1"]
    functions = [HELD.replace("@held", f"@{name}").replace("declare void @use(ptr)", "") for name in names]
    code = cpu.emit_object("declare void @use(ptr)" + "".join(functions), cpu.host())
    assert len(stack_frames.frames(code)) == 3
    assert 200_000 <= stack_frames.stack_bytes(code) <= 200_000 + 2 * 4096


@blockdsl.jit
def copy(x, y, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(y + o, tl.cumsum(tl.load(x + o), 0))


def test_too_much_stack_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    more: Callable[[bytes], int] = lambda _: 300_000  # noqa: E731
    monkeypatch.setattr(cpu_kernel.stack_frames, "stack_bytes", more)
    x = np.ones(64, np.float32)
    with pytest.raises(OutOfResourcesError) as caught:
        copy[(1,)](x, x.copy(), BLOCK=64)
    assert "kernel 'copy' needs 300000 bytes of stack, a launch has at most 262144" in str(caught.value)


@blockdsl.jit
def normalized_sums(x, y, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    sums = tl.cumsum(tl.load(x + o), 0)
    tl.store(y + o, sums / tl.max(sums))


def test_kernel_reports_stack_of_a_launch() -> None:
    x = np.ones(1 << 16, np.float32)
    compiled = normalized_sums[(1,)](x, np.empty_like(x), BLOCK=1 << 16)
    assert 0 < compiled.stack_bytes <= 256 << 10
    assert compiled.scratch_bytes >= 4 << 16
    assert compiled.metadata["stack_bytes"] == compiled.stack_bytes


EXAMPLES = [
    # The kernel, the numbers of its pointers and integers, its constants, and bounds of its stack and scratch memory: a
    # matmul packs 64 iterations of its loop, and keeps 1 MiB packed for the next programs.
    (vector_add.vector_add, 3, 1, {"BLOCK": 1024}, 1 << 10, 0),
    (softmax.softmax_rows, 2, 3, {"BLOCK": 1024}, 8 << 10, 0),
    (softmax.softmax_rows, 2, 3, {"BLOCK": 16384}, 72 << 10, 0),
    (layer_norm.layer_norm_rows, 6, 3, {"BLOCK": 1024}, 12 << 10, 0),
    (
        matmul.matmul_tiles, 3, 9,
        {"BLOCK_M": 64, "BLOCK_N": 64, "BLOCK_K": 32, "GROUP_M": 8, "ACTIVATION": matmul.leaky_relu}, 32 << 10, 3 << 19,
    ),
    (
        matmul.matmul_tiles, 3, 9,
        {"BLOCK_M": 128, "BLOCK_N": 128, "BLOCK_K": 64, "GROUP_M": 8, "ACTIVATION": None}, 128 << 10, 3 << 19,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "pointers", "numbers", "constants", "stack", "scratch"), EXAMPLES)
def test_examples_need_little_stack(
    kernel: Any, pointers: int, numbers: int, constants: dict[str, Any], stack: int, scratch: int
) -> None:
    compiled = kernel.warmup(*[torch.float32] * pointers, *[999] * numbers, **constants, grid=(1,))
    assert 0 < compiled.stack_bytes <= stack
    assert compiled.scratch_bytes <= scratch


@pytest.mark.parametrize("stores", [16, 96])
def test_invariant_values_need_little_stack(stores: int) -> None:
    """LLVM unrolls the loops of the stores and hoists all invariant values out of the loop over programs."""
    x, y = np.random.default_rng(0).random(1024, np.float32), np.empty((stores, 1024), np.float32)
    compiled = long_kernels.stores[(3,)](x, y, BLOCK=1024, N=stores)
    assert np.array_equal(y, x + np.arange(stores, dtype=np.float32)[:, None])
    assert compiled.stack_bytes <= 64 << 10

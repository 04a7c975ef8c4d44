"""What is said of a kernel's stack is what its code takes, and too much is refused."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import blockdsl
import blockdsl.language as tl
from blockdsl.backends import cpu, frames
from blockdsl.compiler import kernel
from blockdsl.errors import OutOfResourcesError

HELD = """
declare void @use(ptr)
define void @held() {
  %buffer = alloca [100000 x i8], align 64
  call void @use(ptr %buffer)
  ret void
}
"""


@pytest.mark.parametrize("triple", ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"])
def test_a_frame_is_read_off_the_code(triple: str) -> None:
    code = cpu.emit_object(HELD, cpu.CPU(triple, "", ()))
    assert 100_000 <= frames.frames(code)["held"] <= 100_000 + 4096


@blockdsl.jit
def copy(x, y, BLOCK: tl.constexpr):
    o = tl.arange(0, BLOCK)
    tl.store(y + o, tl.cumsum(tl.load(x + o), 0))


def test_too_much_stack_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    more: Callable[[bytes], int] = lambda _: 300_000  # noqa: E731
    monkeypatch.setattr(kernel.frames, "stack_bytes", more)
    x = np.ones(64, np.float32)
    with pytest.raises(OutOfResourcesError) as caught:
        copy[(1,)](x, x.copy(), BLOCK=64)
    assert "kernel 'copy' needs 300000 bytes of stack, a launch has at most 262144" in str(caught.value)


def test_a_kernel_says_what_a_launch_takes() -> None:
    x = np.ones(1 << 16, np.float32)
    compiled = copy[(1,)](x, np.empty_like(x), BLOCK=1 << 16)
    assert 0 < compiled.stack_bytes <= 256 << 10
    assert compiled.scratch_bytes >= 4 << 16
    assert compiled.metadata["stack_bytes"] == compiled.stack_bytes

"""Tests of launches refused between Triton and our launcher, with whole messages."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
import stock_kernels as stock
import torch
from triton.backends import backends
from triton.runtime import driver

import blockdsl
from blockdsl.errors import BlockdslError
from blockdsl.triton import pipeline
from blockdsl.triton.options import Options


def message(call: Any, *args: Any, **kwargs: Any) -> str:
    with pytest.raises(BlockdslError) as caught:
        call(*args, **kwargs)
    # Line numbers of files change.
    caught.value.location = None
    return f"{type(caught.value).__name__}: {caught.value}"


NEWER = """#loc = loc("kernel.py":3:0)
module {
  tt.func public @kernel(%x: !tt.ptr<f32> loc("x"(#loc))) {
    %y = tt.not_yet %x : !tt.ptr<f32> loc(#loc1)
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc2 = loc("kernel.py":7:5)
#loc1 = loc("y"(#loc2))
"""


def binary(text: str) -> Any:
    """Runs Triton's stages on a text, without the first one, which would use Triton's own parser."""
    stages: dict[str, Any] = {}
    pipeline.add_stages(None, stages, Options.of({}), None)
    return stages["blockdsl"](text, {"name": "kernel", "hash": "0" * 64})


def test_op_of_a_newer_triton() -> None:
    with pytest.raises(BlockdslError) as caught:
        binary(NEWER)
    assert str(caught.value).startswith(
        "'not_yet' of Triton's cannot be compiled for a CPU\n  kernel.py:7:5, in kernel\n"
    )
    assert caught.value.hint == "it is for GPUs only, or came with a version of Triton that is newer than we are"


def test_invalid_text() -> None:
    with pytest.raises(BlockdslError) as caught:
        binary(NEWER.replace("tt.not_yet %x :", "tt.splat %z :"))
    assert (caught.value.location.file, caught.value.location.line) == ("kernel.py", 7)


def test_no_triton() -> None:
    program = "import sys; sys.modules['triton'] = None; import blockdsl; blockdsl.triton.activate()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.stderr.endswith(
        "TargetError: Triton is not installed, so no driver can be activated\n  hint: pip install triton\n"
    )


def test_no_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(backends, "cpu")
    for name in [name for name in backends if name != "nvidia"]:
        monkeypatch.delitem(backends, name)
    assert message(blockdsl.triton.activate) == (
        "TargetError: Triton lists no back end 'cpu', only nvidia\n"
        "  hint: unset TRITON_BACKENDS_IN_TREE, and install blockdsl with pip where Triton is"
    )


def test_a_damaged_binary() -> None:
    assert message(driver.active.utils.load_binary, "add", b"blockdsl-kernel 1\n{}\n", 0, "cpu") == (
        "LaunchError: a kernel that Triton has kept cannot be used: its header is damaged\n"
        "  hint: remove Triton's cache, or set TRITON_ALWAYS_COMPILE=1"
    )


def test_an_array_of_another_type() -> None:
    kernel = stock.add.warmup(torch.float32, torch.float32, torch.float32, 4, BLOCK=4, grid=(1,))
    assert message(kernel[(1, 1, 1)], torch.zeros(4, dtype=torch.int32), torch.zeros(4), torch.zeros(4), 4, 4) == (
        "LaunchError: argument 'x_ptr' of kernel 'add' has dtype torch.int32, but the kernel is compiled for '*fp32'\n"
        "  hint: convert the tensor, or compile the kernel for the type of 'x_ptr'"
    )


def test_a_number_that_does_not_fit() -> None:
    kernel = stock.add.warmup(torch.float32, torch.float32, torch.float32, 4, BLOCK=4, grid=(1,))
    assert message(kernel[(1, 1, 1)], torch.zeros(4), torch.zeros(4), torch.zeros(4), 1 << 40, 4).startswith(
        "LaunchError: argument 'n' of kernel 'add' is 1099511627776, but the kernel is compiled for type 'i32'"
    )

"""Tests of launches that are refused before any program runs: message and location."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch
from handwritten import handwritten, make_add

import blockdsl.language as tl
from blockdsl.errors import LaunchError

ADD = make_add()


@handwritten(written=[])
def declared(pointer: "*fp32", count: tl.int32, rate: tl.float32): ...  # noqa: F722


def x() -> torch.Tensor:
    return torch.ones(64)


def read_only() -> np.ndarray:
    data = np.ones(64, dtype=np.float32)
    data.flags.writeable = False
    return data


Case = tuple[Callable[[], object], str, str | None]

CASES: list[Case] = [
    (lambda: ADD[(1,)]("text", x(), x(), 64),
     "argument 'x' of kernel 'add' is str 'text', expected a tensor, an array, a number, None, or a tuple of these",
     "values known when the kernel is compiled go to a parameter annotated x: tl.constexpr"),
    (lambda: ADD[(1,)](x(), x(), [1, 2], 64),
     "argument 'out' of kernel 'add' is list [1, 2], expected a tensor, an array, a number, None, or a tuple of these",
     "pass tuple(out)"),
    (lambda: ADD[(1,)](x(), torch.ones(64, device="meta"), x(), 64),
     "argument 'y' of kernel 'add' is on device 'meta', expected a tensor in CPU or CUDA memory", "no memory"),
    (lambda: ADD[(1,)](x(), torch.ones(64, dtype=torch.complex64), x(), 64),
     "argument 'y' of kernel 'add' has dtype torch.complex64, expected bool, an integer of 8 to 64 bits, float16, "
     "bfloat16, float32, float64 or an 8-bit float", "convert"),
    (lambda: ADD[(1,)](x(), np.ones(64, dtype=">f4"), x(), 64), "'y' of kernel 'add' has dtype >f4", "convert"),
    (lambda: ADD[(1,)](x(), torch.ones(64).to_sparse(), x(), 64),
     "argument 'y' of kernel 'add', Tensor(64, torch.float32), gives no access to its memory: Cannot access data "
     "pointer of Tensor that doesn't have storage", "y.to_dense()"),
    (lambda: ADD[(1,)](x(), np.zeros(64, "datetime64[s]"), x(), 64),
     "argument 'y' of kernel 'add', ndarray(64, datetime64[s]), gives no access to its memory", "y.view('int64')"),
    (lambda: ADD[(1,)](x(), np.array([object()]), x(), 64),
     "argument 'y' of kernel 'add' has dtype object, expected bool, an integer of 8 to 64 bits", "convert"),
    (lambda: ADD[(1,)](x(), x(), x(), 64j), "argument 'n' of kernel 'add' is complex 64j, expected a tensor", None),
    (lambda: ADD[(1,)](x(), x(), read_only(), 64),
     "argument 'out' of kernel 'add' is read-only, and the kernel stores through it; expected writable memory, got "
     "ndarray(64, float32)", "out.copy()"),
    (lambda: ADD[(1,)](x(), x(), x(), 2**64),
     "argument 'n' of kernel 'add' is 18446744073709551616, expected an integer of at most 64 bits", None),
    (lambda: ADD[(1,)](x(), x(), x()), "kernel 'add' needs an argument for its parameter 'n', and got none", "n=..."),
    (lambda: ADD[(1,)](x(), x(), x(), 64, BLOK=64), "kernel 'add' has no parameter 'BLOK'", "did you mean 'BLOCK'?"),
    (lambda: ADD[(1,)](x(), x(), x(), 64, qqq=64),
     "kernel 'add' has no parameter 'qqq'", "its parameters are x, y, out, n, BLOCK"),
    (lambda: ADD[(1,)](x(), x(), x(), 64, x=x()),
     "kernel 'add' got parameter 'x' twice: by position, and as x=Tensor(64, torch.float32)", None),
    (lambda: ADD[(1,)](x(), x(), x(), 64, 64, 4),
     "kernel 'add' got more arguments than it has parameters, the first too many is 4", "num_warps"),
    (lambda: ADD(x(), x(), x(), 64), "kernel 'add' is called without a grid", "add[grid](...)"),
    (lambda: ADD[(1.5,)](x(), x(), x(), 64),
     "the grid of kernel 'add' expects integers, got float 1.5", "use // or blockdsl.cdiv(n, BLOCK) instead of /"),
    (lambda: ADD["4"](x(), x(), x(), 64), "the grid of kernel 'add' expects integers, got str '4'", None),
    (lambda: ADD[(True,)](x(), x(), x(), 64), "the grid of kernel 'add' expects integers, got bool True", None),
    (lambda: ADD[None](x(), x(), x(), 64), "the grid of kernel 'add' expects integers, got NoneType None", None),
    (lambda: ADD[(4, -1)](x(), x(), x(), 64),
     "each size of the grid of kernel 'add' is 0 to 2147483647, got -1 in (4, -1)", "a negative size is a mistake"),
    (lambda: ADD[(2**31,)](x(), x(), x(), 64), "0 to 2147483647, got 2147483648 in (2147483648,)", None),
    (lambda: ADD[(2**70,)](x(), x(), x(), 64), "each size of the grid of kernel 'add' is 0 to 2147483647", None),
    (lambda: ADD[(1, 1, 1, 1)](x(), x(), x(), 64),
     "the grid of kernel 'add' has 1 to 3 sizes, got 4: (1, 1, 1, 1)", "fold further dimensions"),
    (lambda: ADD[()](x(), x(), x(), 64),
     "the grid of kernel 'add' has 1 to 3 sizes, got 0: ()", "a grid of one program is (1,)"),
    (lambda: ADD[(2**30, 2**30, 2**30)](x(), x(), x(), 64),
     "the grid of kernel 'add' has less than 2**62 programs, got (1073741824, 1073741824, 1073741824)", None),
    (lambda: ADD[lambda meta: (meta["n"] / 64,)](x(), x(), x(), 64),
     "expects integers, got float 1.0", "blockdsl.cdiv"),
    (lambda: declared[(1,)](1, 2, 3.0),
     "argument 'pointer' of kernel 'declared' is declared '*fp32' and expects a tensor, got int 1", None),
    (lambda: declared[(1,)](x().double(), 2, 3.0),
     "argument 'pointer' of kernel 'declared' has dtype torch.float64, but the kernel is compiled for '*fp32'",
     "convert the tensor"),
    (lambda: declared[(1,)](x(), x(), 3.0),
     "argument 'count' of kernel 'declared' is declared 'i32' and expects a number, got Tensor", "count.item()"),
    (lambda: declared[(1,)](x(), 2.5, 3.0),
     "argument 'count' of kernel 'declared' is declared 'i32' and expects a number, got float 2.5", None),
    (lambda: declared[(1,)](x(), 2**31, 3.0),
     "argument 'count' of kernel 'declared' is 2147483648, but the kernel is compiled for i32", None),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message", "hint"), CASES, ids=[str(index) for index in range(len(CASES))])
def test_refused(call: Callable[[], object], message: str, hint: str | None) -> None:
    with pytest.raises(LaunchError) as caught:
        call()
    error = caught.value
    assert message in error.message
    assert "\n" not in error.message
    if hint is not None:
        assert error.hint is not None
        assert hint in error.hint
    assert error.location is not None
    assert error.location.file == __file__


def test_the_message_points_at_the_launch() -> None:
    data = x()
    with pytest.raises(LaunchError) as caught:
        ADD[(1,)](data, data.to("meta"), data, 64)
    lines = str(caught.value).splitlines()
    assert lines[1].startswith(f"  {__file__}:")
    assert lines[1].endswith("in test_the_message_points_at_the_launch")
    assert lines[2].strip() == 'ADD[(1,)](data, data.to("meta"), data, 64)'
    assert set(lines[3].strip()) == {"^"}


def test_refused_launch_runs_nothing() -> None:
    a, out = x(), torch.zeros(64)
    with pytest.raises(LaunchError):
        ADD[(1, -1)](a, a, out, 64)
    with pytest.raises(LaunchError):
        ADD[(1,)](a, a, out, 64, BLOK=64)
    assert not out.any()
    ADD[(1,)](a, a, out, 64)  # And the next launch works.
    assert bool((out == 2).all())


def test_compiled_kernel_refuses_other_signatures() -> None:
    a = torch.ones(80)
    kernel = make_add()[(1,)](a, a, torch.zeros(80), 80)
    with pytest.raises(LaunchError, match=r"argument 'x' .* has dtype torch.float16, but .* for '\*fp32'"):
        kernel[(1,)](a.half(), a, a, 80)
    with pytest.raises(LaunchError, match=r"argument 'n' .* is 70, but .* a number divisible by 16"):
        kernel[(1,)](a, a, torch.zeros(80), 70)
    with pytest.raises(LaunchError, match=r"argument 'y' .* for an address divisible by 16"):
        kernel[(1,)](a, a[1:], torch.zeros(80), 64)
    with pytest.raises(LaunchError, match=r"argument 'BLOCK' .* is 32, but the kernel is compiled for BLOCK=64"):
        kernel[(1,)](a, a, torch.zeros(80), 64, BLOCK=32)
    with pytest.raises(LaunchError, match=r"argument 'x' .* is declared '\*fp32' and expects a tensor, got int 7"):
        kernel[(1,)](7, a, a, 80)

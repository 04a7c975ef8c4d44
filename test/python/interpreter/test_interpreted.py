"""Tests of the interface of interpreted kernels: that of compiled ones, with the same errors at the same line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import BlockdslError, KernelSyntaxError, LaunchError, TargetError
from blockdsl.interpreted import InterpretedFunction


def add(x, y, out, n, BLOCK: tl.constexpr = 64):
    """Adds."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(
        out + offsets, tl.load(x + offsets, mask=offsets < n) + tl.load(y + offsets, mask=offsets < n), offsets < n
    )


def spread(out, *rest):
    tl.store(out, rest[0] + rest[1])


COMPILED, INTERPRETED = blockdsl.jit(add), InterpretedFunction(add)
WAYS = pytest.mark.parametrize("kernel", [COMPILED, INTERPRETED], ids=["compiled", "interpreted"])


def x() -> torch.Tensor:
    return torch.ones(64)


def test_interface_matches_jit_function() -> None:
    def public(kernel: object) -> set[str]:
        return {name for name in dir(kernel) if not name.startswith("_")}

    assert public(INTERPRETED) == public(COMPILED)
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__wrapped__"):
        assert getattr(INTERPRETED, name) == getattr(COMPILED, name) == getattr(add, name, add)
    assert repr(INTERPRETED) == repr(COMPILED).replace("kernel", "interpreted kernel")


def run(kernel: Any, *args: object, **kwargs: object) -> object:
    return kernel[(1,)](*args, **kwargs)


def run_a_grid_function(kernel: Any, *args: object, **kwargs: object) -> object:
    return kernel[lambda meta: (meta["n"] // meta["BLOCK"],)](*args, **kwargs)


def run_by_name(kernel: Any, *args: object, **kwargs: object) -> object:
    return kernel.run(*args, grid=(1,), **kwargs)


@WAYS
@pytest.mark.parametrize("make", [run, run_a_grid_function, run_by_name])
def test_launches(kernel: Any, make: Callable[..., object]) -> None:
    out = torch.zeros(64)
    make(kernel, x(), x(), n=64, out=out, num_warps=4)
    assert bool((out == 2).all())


@WAYS
def test_a_warm_up_stores_nothing(kernel: Any) -> None:
    out = torch.zeros(64)
    kernel.warmup(x(), x(), out, 64, grid=(1,))
    kernel.run(x(), x(), out, 64, grid=lambda meta: (1,), warmup=True)
    kernel.warmup(*[torch.float32] * 3, 64, BLOCK=32, num_warps=8)
    kernel.warmup(blockdsl.MockTensor(torch.float16), torch.float16, out=torch.float16, n=64)
    assert not out.any()


def test_a_warm_up_for_a_gpu_checks_the_target() -> None:
    assert INTERPRETED.warmup(*[torch.float32] * 3, 64, target="cuda:90") is None
    with pytest.raises(TargetError, match="got 'rocm'"):
        INTERPRETED.warmup(*[torch.float32] * 3, 64, target="rocm")


Case = tuple[tuple[object, ...], dict[str, Any], str]

WRONG: list[Case] = [
    ((x(), x(), x()), {}, "kernel 'add' needs an argument for its parameter 'n', and got none"),
    ((x(), x(), x(), 64, 64, 4), {}, "kernel 'add' got more arguments than it has parameters, the first too many is 4"),
    ((x(), x(), x(), 64), {"BLOK": 64}, "kernel 'add' has no parameter 'BLOK'"),
    ((x(), x(), x(), 64), {"n": 64}, "kernel 'add' got parameter 'n' twice: by position, and as n=64"),
    ((x(), x(), x(), 64), {"num_warps": "4"}, "num_warps is a power of two from 1 to 32, got '4'"),
]


@WAYS
@pytest.mark.parametrize("make", [run, run_by_name, lambda kernel, *args, **kwargs: kernel.warmup(*args, **kwargs)])
@pytest.mark.parametrize(("args", "named", "message"), WRONG, ids=[str(index) for index in range(len(WRONG))])
def test_refused(kernel: Any, make: Callable[..., object], args: Any, named: Any, message: str) -> None:
    with pytest.raises(BlockdslError) as caught:
        make(kernel, *args, **named)
    assert caught.value.message == message
    assert caught.value.location is not None
    assert caught.value.location.file == __file__


@WAYS
def test_grid_function_reads_unknown_name(kernel: Any) -> None:
    with pytest.raises(
        LaunchError, match=r"finds no 'BLOK'; the arguments it is called with are x, y, out, n, BLOCK"
    ) as caught:
        kernel[lambda meta: (meta["BLOK"],)](x(), x(), x(), 64)
    assert caught.value.location is not None
    assert caught.value.location.function == "<lambda>"
    words = "the function that gives the grid of kernel 'add' is called with one dict, of the arguments: "
    with pytest.raises(LaunchError, match=words):
        kernel[lambda: (1,)](x(), x(), x(), 64)
    with pytest.raises(ZeroDivisionError):
        kernel[lambda meta: (1 // 0,)](x(), x(), x(), 64)


@WAYS
def test_called_without_a_grid(kernel: Any) -> None:
    with pytest.raises(LaunchError, match="kernel 'add' is called without a grid"):
        kernel(x(), x(), x(), 64)


@WAYS
@pytest.mark.parametrize(
    "call", [lambda kernel: kernel[(1,)]("text", x(), x(), 64), lambda kernel: kernel[(1.5,)](x(), x(), x(), 64)]
)
def test_launch_errors_have_a_line(kernel: Any, call: Callable[[Any], object]) -> None:
    with pytest.raises(LaunchError) as caught:
        call(kernel)
    assert caught.value.location is not None
    assert caught.value.location.file == __file__


@pytest.mark.parametrize("make", [blockdsl.jit, InterpretedFunction])
def test_varargs_are_a_tuple(make: Callable[..., Any]) -> None:
    kernel, out = make(spread), torch.zeros(1)
    for further in ((2.0, 3.0), (4.0, 5.0), (6, 7, 8)):
        kernel[(1,)](out, *further)
        assert out.item() == further[0] + further[1]


def sum_of(out, *rows, scale: tl.constexpr, BLOCK: tl.constexpr = 8):
    index = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for at in tl.static_range(len(rows)):
        total += tl.load(rows[at] + index)
    tl.store(out + index, total * scale)


@pytest.mark.parametrize("make", [blockdsl.jit, InterpretedFunction])
def test_parameters_after_varargs_are_keyword_only(make: Callable[..., Any]) -> None:
    kernel, out = make(sum_of), torch.zeros(8)
    for count in (3, 1, 0):
        kernel[(1,)](out, *[torch.arange(8.0)] * count, scale=2)
        assert torch.equal(out, 2.0 * count * torch.arange(8.0))
    with pytest.raises(LaunchError, match="'scale'"):
        kernel[(1,)](out, out)
    with pytest.raises(LaunchError, match="'rows' twice"):
        kernel[(1,)](out, rows=(out,), scale=2)


@pytest.mark.parametrize("make", ["0", "1"])
def test_do_not_specialize_ignores_unknown_parameters(make: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several kernels share lists of names, and some have fewer parameters."""
    monkeypatch.setenv("BLOCKDSL_INTERPRET", make)
    kernel: Any = blockdsl.jit(do_not_specialize=["m", "n"], do_not_specialize_on_alignment=[0, 70, "k"])(add)
    assert (type(kernel) is InterpretedFunction) == (make == "1")
    out = torch.zeros(4)
    kernel[(1,)](torch.ones(4), torch.ones(4), out, 4, BLOCK=4)
    assert out.tolist() == [2.0] * 4


def test_a_tuned_kernel_warms_up() -> None:
    configs = [blockdsl.Config({"BLOCK": block}) for block in (32, 64)]
    assert blockdsl.autotune(configs, key=["n"])(INTERPRETED).warmup(*[torch.float32] * 3, 64) == [None, None]


@blockdsl.jit
def less_one(out, n):
    i = tl.arange(0, 4).to(tl.uint8)
    tl.store(out + tl.arange(0, 4), (i - n).to(tl.int64))
    tl.store(out + 4, n.to(tl.int64) + n.value)
    tl.static_assert(n.dtype == tl.int32)


@pytest.mark.parametrize("unspecialized", [(), ("n",), (1,)])
def test_an_argument_of_1_is_a_constant(unspecialized: tuple[str | int, ...]) -> None:
    known = not unspecialized
    fn = less_one.fn if known else less_a_scalar.fn
    interpreted, compiled = torch.zeros(5, dtype=torch.int64), torch.zeros(5, dtype=torch.int64)
    InterpretedFunction(fn, unspecialized)[(1,)](interpreted, 1)
    blockdsl.jit(fn, do_not_specialize=unspecialized)[(1,)](compiled, 1)
    assert interpreted.tolist() == compiled.tolist() == [255 if known else -1, 0, 1, 2, 2 if known else 0]


@blockdsl.jit
def less_a_scalar(out, n):
    i = tl.arange(0, 4).to(tl.uint8)
    tl.store(out + tl.arange(0, 4), (i - n).to(tl.int64))


@pytest.mark.parametrize("interpret", ["0", "1"])
def test_generator_is_refused(interpret: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_INTERPRET", interpret)

    def counting(out):  # type: ignore[no-untyped-def]
        tl.store(out, 1.0)
        yield 2.0

    with pytest.raises(KernelSyntaxError, match=r"'yield' is not part of the kernel language(.|\n)*store results with"):
        blockdsl.jit(counting)[(1,)](torch.zeros(1))

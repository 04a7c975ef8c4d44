"""Tests of launches: all forms of arguments, hooks, several threads, overlapping arguments."""

from __future__ import annotations

import ast
import threading
from typing import Any

import pytest
import stock_kernels as stock
import torch
import triton
import triton.language as tl
from triton import knobs

import blockdsl
from blockdsl.triton.cached_launch import Shortcut
from blockdsl.triton.kernel_launcher import KernelLauncher


def compiled(n: int = 500) -> Any:
    return stock.add.warmup(torch.float32, torch.float32, torch.float32, n, BLOCK=512, grid=(1,))


class Pointer:
    """A third-party object with an address and an element type."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor, self.dtype = tensor, tensor.dtype

    def data_ptr(self) -> int:
        return self.tensor.data_ptr()


class Strided(Pointer):
    """A third-party view with shape and strides, like FlagGems' ``StridedBuffer``."""

    def __init__(self, tensor: torch.Tensor) -> None:
        super().__init__(tensor)
        self.shape = tuple(tensor.shape)

    def stride(self) -> tuple[int, ...]:
        return self.tensor.stride()

    def element_size(self) -> int:
        return self.dtype.itemsize


def test_compiled_kernel_accepts_all_arguments() -> None:
    x, y, out = torch.randn(3, 500)
    compiled()[(1, 1, 1)](x, y, out, 500, 512)
    assert torch.equal(out, x + y)


def test_compiled_kernel_accepts_arguments_without_constants() -> None:
    x, y, out = torch.randn(3, 500)
    compiled()[(1, 1, 1)](x, y, out, 500)
    assert torch.equal(out, x + y)
    # An argument of one is a constant, too, which a library may pass or not.
    out.zero_()
    one = compiled(1)
    one[(1, 1, 1)](x, y, out, 1)
    assert out[0] == x[0] + y[0]
    one[(1, 1, 1)](y, y, out)
    assert out[0] == y[0] + y[0]


def test_too_few_arguments() -> None:
    with pytest.raises(TypeError, match="the kernel takes 5 arguments, got 2"):
        compiled()[(1, 1, 1)](torch.zeros(4), torch.zeros(4))


def test_objects_with_an_address() -> None:
    x, y, out = torch.randn(3, 500)
    stock.add[(1,)](Pointer(x), y, Pointer(out), 500, BLOCK=512)
    assert torch.equal(out, x + y)


@pytest.mark.parametrize(("wrapped", "assumed"), [(Strided, "disjoint"), (Pointer, "unknown")])
def test_assumptions_about_objects_with_an_address(wrapped: Any, assumed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """By each path of a launch: Triton's, the returned kernel's, and the shortcut of later launches."""
    seen: list[str] = []

    def watched(of: Any) -> Any:
        def compile_variant(*args: Any) -> Any:
            kernel = of(*args)
            seen.append(kernel.options.alias)
            return kernel

        return compile_variant

    for each in (KernelLauncher, Shortcut):
        monkeypatch.setattr(each, "_compile", watched(each._compile))

    @triton.jit
    def negated(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + at, -tl.load(x_ptr + at, mask=at < n), mask=at < n)

    memory = torch.randn(1000)
    # Both in one storage, one after the other.
    x, out = memory[:500], memory[500:]
    for _ in range(2):
        out.zero_()
        kernel = negated[(1,)](wrapped(x), wrapped(out), 500, BLOCK=512)
        assert torch.equal(out, -x)
    out.zero_()
    kernel[(1, 1, 1)](wrapped(x), wrapped(out), 500, 512)
    assert torch.equal(out, -x)
    assert len(seen) >= 2
    assert set(seen) == {assumed}


@triton.jit
def doubled(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, (tl.load(x_ptr + at).to(tl.float32) * 2).to(out_ptr.dtype.element_ty))


def test_tensor_reinterpreted_as_another_type() -> None:
    x = torch.randn(64).to(torch.float8_e5m2)
    out = torch.empty(64, dtype=torch.float8_e5m2)
    reinterpreted = [triton.reinterpret(each.view(torch.int8), tl.float8e5) for each in (x, out)]
    doubled[(1,)](*reinterpreted, BLOCK=64)
    assert torch.equal(out.float(), 2 * x.float())


def test_numbers_as_addresses() -> None:
    x, y, out = torch.randn(3, 500)
    compiled()[(1, 1, 1)](x.data_ptr(), y, out.data_ptr(), 500, 512)
    assert torch.equal(out, x + y)


@triton.jit
def moved(x_ptr, out_ptr, n, by, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + by, mask=at < n)


def test_tensors_of_one_element_as_numbers() -> None:
    # Triton's launchers convert arguments to Python's numbers; Inductor times templates so.
    x, out = torch.randn(500), torch.zeros(500)
    kernel = moved.warmup(torch.float32, torch.float32, 500, 0.5, BLOCK=512, grid=(1,))
    kernel[(1, 1, 1)](x, out, torch.tensor(500), torch.tensor(0.25), 512)
    assert torch.equal(out, x + 0.25)
    with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted"):
        kernel[(1, 1, 1)](x, out, 500, torch.zeros(2), 512)


def test_addresses_that_are_no_multiples_of_16() -> None:
    x, y, out = torch.randn(3, 500)
    kernel = compiled()
    kernel[(1, 1, 1)](x, y, out, 500, 512)
    # Code that relies on alignment is not run, even if the CPU would permit it.
    assert "unaligned" not in vars(kernel.function)
    kernel[(1, 1, 1)](x[1:], y[2:], out[3:], 400, 512)
    assert torch.equal(out[3:403], x[1:401] + y[2:402])
    assert "tt.divisibility = 16" not in vars(kernel.function)["unaligned"].text


@pytest.mark.parametrize("wrapped", [lambda x: x, Strided, Pointer, lambda x: x.data_ptr()])
@pytest.mark.parametrize("shift", [0, 1, 4, 16])
def test_arguments_that_overlap(wrapped: Any, shift: int) -> None:
    memory = torch.randn(600)
    expected = memory.clone()
    for factor, term in ((1, 1), (2, 0)):
        expected[shift : shift + 500] = (expected[:500] * factor + term).clone()
    kernel = stock.shifted.warmup(torch.float32, torch.float32, 500, BLOCK=512, grid=(1,))
    kernel[(1, 1, 1)](wrapped(memory), wrapped(memory[shift:]), 500, 512)
    assert torch.equal(memory, expected)


def test_hooks_are_called_around_a_launch() -> None:
    seen: list[str] = []

    def enter(metadata: Any) -> None:
        seen.append(f"enter {metadata.get()['name']}")

    def leave(metadata: Any) -> None:
        seen.append(f"exit {metadata.get()['name']}")

    x, y, out = torch.randn(3, 500)
    knobs.runtime.launch_enter_hook.add(enter)
    knobs.runtime.launch_exit_hook.add(leave)
    try:
        stock.add[(1,)](x, y, out, 500, BLOCK=512)
    finally:
        knobs.runtime.launch_enter_hook.remove(enter)
        knobs.runtime.launch_exit_hook.remove(leave)
    stock.add[(1,)](x, y, out, 500, BLOCK=512)
    assert seen == ["enter add", "exit add"]


def test_error_in_a_hook_is_raised_by_the_launch() -> None:
    def enter(metadata: Any) -> None:
        raise RuntimeError("not now")

    out = torch.zeros(500)
    knobs.runtime.launch_enter_hook.add(enter)
    try:
        with pytest.raises(RuntimeError, match="not now"):
            stock.add[(1,)](torch.ones(500), torch.ones(500), out, 500, BLOCK=512)
    finally:
        knobs.runtime.launch_enter_hook.remove(enter)
    assert not out.any()


def test_hooks_before_a_run() -> None:
    seen: list[Any] = []

    def before(*args: Any, **kwargs: Any) -> None:
        seen.append(kwargs["n"])

    stock.tanh.add_pre_run_hook(before)
    try:
        stock.tanh[(1,)](torch.zeros(4), torch.zeros(4), n=4, BLOCK=4)
    finally:
        stock.tanh.pre_run_hooks.remove(before)
    assert seen == [4]


def test_a_grid_without_programs() -> None:
    out = torch.zeros(500)
    stock.add[(0,)](torch.ones(500), torch.ones(500), out, 500, BLOCK=512)
    assert not out.any()


def test_invalid_grid() -> None:
    with pytest.raises(blockdsl.errors.LaunchError, match="grid"):
        stock.add[(-1,)](torch.ones(500), torch.ones(500), torch.ones(500), 500, BLOCK=512)


def test_a_grid_wider_than_a_gpus() -> None:
    counts = torch.zeros(10, dtype=torch.int32)
    stock.histogram[(1, 70000)](torch.zeros(1, dtype=torch.int32), counts, 1, BLOCK=1)
    assert counts[0] == 70000


def test_several_threads_launch_and_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    # Triton reads a kernel with Python's parser, which in 3.11 fails where two threads parse (gh-106905).
    parse, parsing = ast.parse, threading.Lock()

    def parse_alone(*args: Any, **kwargs: Any) -> Any:
        with parsing:
            return parse(*args, **kwargs)

    monkeypatch.setattr(ast, "parse", parse_alone)

    @triton.jit
    def scaled(x_ptr, out_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) * FACTOR, mask=at < n)

    x = torch.randn(5000)
    outs = [torch.empty(5000) for _ in range(6)]
    errors: list[BaseException] = []

    def launch(number: int) -> None:
        try:
            for _ in range(20):
                scaled[(5,)](x, outs[number], 5000, FACTOR=number % 3, BLOCK=1024)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=launch, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    for number, out in enumerate(outs):
        assert torch.equal(out, x * (number % 3))


def test_the_function_of_a_kernel_shows_our_stages() -> None:
    kernel = compiled()
    assert kernel.run is not None
    assert "define" in kernel.function.asm["llir"]
    assert "linalg" in kernel.function.asm["linalg"]
    assert "tt.func public @add" in kernel.asm["ttir"]

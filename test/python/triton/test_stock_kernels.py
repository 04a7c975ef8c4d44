"""Tests of kernels of ``@triton.jit`` on CPU tensors against torch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import stock_kernels as stock
import torch
import triton
from torch.testing import assert_close
from triton.runtime._allocation import NullAllocator
from triton.tools.tensor_descriptor import TensorDescriptor

import blockdsl
import blockdsl.language as tl


@pytest.fixture(autouse=True)
def same_numbers() -> None:
    torch.manual_seed(0)


def test_addition() -> None:
    x, y, out = torch.randn(3, 98432)
    stock.add[lambda meta: (triton.cdiv(98432, meta["BLOCK"]),)](x, y, out, 98432, BLOCK=1024)
    assert torch.equal(out, x + y)


@blockdsl.jit
def our_add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=inside) + tl.load(y_ptr + offsets, mask=inside), inside)


def test_both_front_ends_in_one_process() -> None:
    x, y, first, second = torch.randn(4, 5000)
    our_add[(5,)](x, y, first, 5000, BLOCK=1024)
    stock.add[(5,)](x, y, second, 5000, BLOCK=1024)
    assert torch.equal(first, second)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64, torch.int64])
def test_addition_of_other_types(dtype: torch.dtype) -> None:
    x, y = (10 * torch.randn(2, 1000)).to(dtype)
    out = torch.empty_like(x)
    stock.add[(2,)](x, y, out, 1000, BLOCK=512)
    assert torch.equal(out, x + y)


def test_softmax() -> None:
    x = torch.randn(37, 781)
    out = torch.empty_like(x)
    stock.softmax[(37,)](out, x, 781, BLOCK=1024)
    assert_close(out, x.softmax(1))


def test_quotients_are_correctly_rounded() -> None:
    counts, out = torch.arange(64), torch.zeros(64, dtype=torch.int32)
    for width in range(1, 200, 2):
        stock.bucket[(1,)](counts.float() * width, out, float(width), N=64)
        assert torch.equal(out, counts.int()), width


def test_an_autotuned_matrix_product() -> None:
    a, b, c = torch.randn(100, 70), torch.randn(70, 90), torch.empty(100, 90)
    stock.matmul[lambda meta: (triton.cdiv(100, meta["M"]), triton.cdiv(90, meta["N"]))](
        a, b, c, 100, 90, 70, *a.stride(), *b.stride(), *c.stride(), ACTIVATION="relu"
    )
    assert_close(c, (a @ b).relu(), rtol=1e-4, atol=1e-4)
    assert stock.matmul.best_config in stock.matmul.configs


def test_layer_norm() -> None:
    x, w, b = torch.randn(20, 300), torch.randn(300), torch.randn(300)
    y, mean, rstd = torch.empty_like(x), torch.empty(20), torch.empty(20)
    stock.layer_norm[(20,)](x, y, w, b, mean, rstd, x.stride(0), 300, 1e-5, BLOCK=128)
    assert_close(y, torch.nn.functional.layer_norm(x, (300,), w, b, 1e-5))
    assert_close(mean, x.mean(1))


def test_programs_that_wait_for_a_lock() -> None:
    x, out, lock = torch.randn(400, 100), torch.zeros(100), torch.zeros(1, dtype=torch.int32)
    stock.column_sums[(100,)](x, out, lock, 400, 100, ROWS=4, COLUMNS=128)
    assert_close(out, x.sum(0), rtol=1e-4, atol=1e-4)
    assert lock.item() == 0


def test_atomic_addition() -> None:
    x, counts = torch.randint(0, 10, (5000,), dtype=torch.int32), torch.zeros(10, dtype=torch.int32)
    stock.histogram[(5,)](x, counts, 4999, BLOCK=1024)
    assert torch.equal(counts, torch.bincount(x[:4999], minlength=10).int())


def test_tensor_descriptors() -> None:
    x, out = torch.randn(40, 48), torch.empty(40, 48)
    stock.copy_tile[(3, 2)](TensorDescriptor.from_tensor(x, [16, 32]), out, 40, 48, M=16, N=32)
    assert torch.equal(out, 2 * x)


def test_descriptors_of_kernels_need_no_memory() -> None:
    # On a GPU the program's allocator provides their memory; there is no launch without one.
    def refuse(size: int, alignment: int, stream: int | None) -> Any:
        raise AssertionError("asked for memory")

    x, out = torch.randn(40, 48), torch.empty(40, 48)
    triton.set_allocator(refuse)
    try:
        stock.copy_tile[(3, 2)](TensorDescriptor.from_tensor(x, [16, 32]), out, 40, 48, M=16, N=32)
    finally:
        triton.set_allocator(NullAllocator())
    assert torch.equal(out, 2 * x)


def test_kernels_query_their_target() -> None:
    out = torch.zeros(2, dtype=torch.int32)
    stock.targets[(1,)](out)
    assert out.tolist() == [0, 1]


def test_addresses_in_a_tensor_of_integers() -> None:
    rows = [torch.randn(50) for _ in range(4)]
    table, out = torch.tensor([row.data_ptr() for row in rows]), torch.empty(4, 50)
    stock.gather_rows[(4,)](table, out, 50, BLOCK=64)
    assert torch.equal(out, torch.stack(rows))


@pytest.mark.parametrize("weight", [2.5, 3, 1])
def test_tuples_of_tuples(weight: float) -> None:
    x, y, out = torch.randn(3, 50)
    stock.weighted[(1,)]((x, (y, weight)), out, 50, BLOCK=64)
    assert_close(out, x + weight * y)


def test_libdevice() -> None:
    x, out = torch.randn(2, 5000)
    stock.tanh[(5,)](x, out, 5000, BLOCK=1024)
    assert_close(out, x.tanh())


def test_heuristics() -> None:
    x, out = torch.randn(2, 500)
    stock.double[(1,)](x, out, 500)
    assert torch.equal(out, 2 * x)


def test_printing(capfd: pytest.CaptureFixture[str]) -> None:
    stock.printing[(2,)](torch.arange(4), BLOCK=4)
    lines = capfd.readouterr().out.splitlines()
    assert sorted(lines) == [f"pid ({pid}, 0, 0) idx ({i}) x is: {i}" for pid in range(2) for i in range(4)]


def test_assertions_are_checked_on_request() -> None:
    x = torch.ones(50)
    stock.checked[(1,)](x, 50, BLOCK=64, debug=True)
    x[7] = -1
    stock.checked[(1,)](x, 50, BLOCK=64)
    with pytest.raises(
        blockdsl.errors.KernelAssertionError, match=r"x is negative failed in program \(0, 0, 0\)"
    ) as caught:
        stock.checked[(1,)](x, 50, BLOCK=64, debug=True)
    assert caught.value.location is not None
    assert caught.value.location.file == stock.__file__
    lines = stock.checked.src.splitlines()
    assert "tl.device_assert" in lines[caught.value.location.line - stock.checked.fn.__code__.co_firstlineno - 1]


def test_unsupported_op_is_an_error_at_its_line() -> None:
    with pytest.raises(blockdsl.errors.CompilationError, match=r"'activemask\.b32 \$0' is not among") as caught:
        stock.assembly[(1,)](torch.zeros(16), torch.zeros(16), BLOCK=16)
    location = caught.value.location
    assert location is not None
    assert (location.file, location.function) == (stock.__file__, None)
    lines = stock.assembly.src.splitlines()
    assert "activemask" in lines[location.line - stock.assembly.fn.__code__.co_firstlineno - 1]


def test_numpy_arrays_are_refused_as_in_triton() -> None:
    with pytest.raises(TypeError):
        stock.tanh[(1,)](np.zeros(4, np.float32), np.zeros(4, np.float32), 4, BLOCK=4)


@pytest.mark.parametrize(("low", "high"), [(-5, 7), (0, 9), (4, -4)])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_words_between_blocks(low: int, high: int) -> None:
    x = torch.randint(-12, 12, (64,), dtype=torch.int32)
    out = torch.empty_like(x)
    stock.between[(1,)](x, out, low, high, BLOCK=64)
    inside = (x > low) & (x < high)
    if low < high and low != 0:
        inside |= x == low
    either = ((x <= low) | (x >= high)) & (x != 0)
    assert torch.equal(out, inside.int() + 2 * either.int())

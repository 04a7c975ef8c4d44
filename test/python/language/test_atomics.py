"""Atomic updates: every op and type, masks, equal addresses, old values, and what each does with special values."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from reference_checks import Run, check, flushed, numbers

import blockdsl
import blockdsl.language as tl

INTEGERS = [torch.int32, torch.int64, torch.uint32, torch.uint64]
FLOATS = [torch.float32, torch.float64]
HALVES = [torch.float16, torch.bfloat16]
EXTREMES = {
    torch.int32: [0, 1, -1, 2**31 - 1, -(2**31)],
    torch.int64: [0, 1, -1, 2**63 - 1, -(2**63)],
    torch.uint32: [0, 1, 2**31, 2**32 - 1],
    torch.uint64: [0, 1, 2**63, 2**64 - 1],
    **{kind: [0.0, -0.0, 1.0, -1.0, float("inf"), float("-inf"), float("nan"), 1e-40, -1e-40] for kind in FLOATS},
}


def bits(values: torch.Tensor) -> np.ndarray:
    """Returns values as integers, so that NaN equals itself and zeros of different signs differ."""
    return values.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[values.element_size()]).numpy()


@blockdsl.jit
def update(at_ptr, x_ptr, old_ptr, n, OP: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    if OP == "add":
        old = tl.atomic_add(at_ptr + at, x, mask=at < n)
    elif OP == "max":
        old = tl.atomic_max(at_ptr + at, x, mask=at < n)
    elif OP == "min":
        old = tl.atomic_min(at_ptr + at, x, mask=at < n)
    elif OP == "and":
        old = tl.atomic_and(at_ptr + at, x, mask=at < n)
    elif OP == "or":
        old = tl.atomic_or(at_ptr + at, x, mask=at < n)
    elif OP == "xor":
        old = tl.atomic_xor(at_ptr + at, x, mask=at < n)
    else:
        old = tl.atomic_xchg(at_ptr + at, x, mask=at < n)
    tl.store(old_ptr + at, old)


def by_bits(choose: str, here: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Triton's order of floats: positive values compare as signed, negative ones as unsigned integers."""
    kinds = (f"i{here.itemsize}", f"u{here.itemsize}")
    up, down = (np.maximum, np.minimum) if choose == "max" else (np.minimum, np.maximum)
    positive = up(here.view(kinds[0]), value.view(kinds[0])).view(here.dtype)
    negative = down(here.view(kinds[1]), value.view(kinds[1])).view(here.dtype)
    return np.where(np.signbit(value), negative, positive)


def expected(op: str, here: np.ndarray, value: np.ndarray) -> np.ndarray:
    with np.errstate(all="ignore"):
        if op in ("max", "min") and here.dtype.kind == "f":
            return by_bits(op, here, value)
        return {
            "add": np.add, "max": np.maximum, "min": np.minimum, "and": np.bitwise_and, "or": np.bitwise_or,
            "xor": np.bitwise_xor, "xchg": lambda _, x: x,
        }[op](here, value)  # fmt: skip


@pytest.mark.parametrize("op", ["add", "max", "min", "and", "or", "xor", "xchg"])
@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS])
def test_updates_of_every_pair_of_special_values(run: Run, device: str, op: str, dtype: torch.dtype) -> None:
    if dtype.is_floating_point and op in ("and", "or", "xor"):
        dtype = torch.int64
    values = torch.tensor(EXTREMES[dtype], dtype=dtype).numpy()
    here = np.resize(np.repeat(values, len(values)), 128)
    x = np.resize(np.tile(values, len(values)), 128)
    there, old = torch.from_numpy(here.copy()), torch.ones(128, dtype=dtype)
    run(update, (1,), there, torch.from_numpy(x), old, 100, OP=op, N=128)
    reference = expected(op, *map(flushed, (here, x))) if device == "cuda" and op == "add" else expected(op, here, x)
    reference = np.where(np.arange(128) < 100, reference, here)
    nan = np.isnan(reference) if reference.dtype.kind == "f" else np.zeros(128, bool)
    found = there.numpy()
    assert np.array_equal(np.isnan(found) if found.dtype.kind == "f" else nan, nan)
    assert np.array_equal(bits(there)[~nan], bits(torch.from_numpy(reference))[~nan])
    assert np.array_equal(bits(old)[:100], bits(torch.from_numpy(here))[:100])
    # Elements without an update have a result of zero here.
    assert not old[100:].numpy().any()


@pytest.mark.parametrize("dtype", HALVES)
def test_sums_of_halves_are_rounded_as_arithmetic_is(run: Run, dtype: torch.dtype) -> None:
    here, x = numbers(dtype, 64, low=-300, high=300), numbers(dtype, 64, low=-3e-3, high=3e2)
    # Denormals stay.
    here[:4], x[:4] = (
        torch.tensor([1e-7, 3e-39, -1e-39, 0], dtype=dtype),
        torch.tensor([2e-7, 1e-39, 0, -0.0], dtype=dtype),
    )
    there, old = here.clone(), torch.zeros(64, dtype=dtype)
    run(update, (1,), there, x, old, 64, OP="add", N=64)
    assert np.array_equal(bits(there), bits((here.double() + x.double()).to(dtype)))
    assert np.array_equal(bits(old), bits(here))


@blockdsl.jit
def scatter_add(sums_ptr, index_ptr, x_ptr, n, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    inside = at < n
    index = tl.load(index_ptr + at, mask=inside, other=0)
    tl.atomic_add(sums_ptr + index, tl.load(x_ptr + at, mask=inside), mask=inside, sem="relaxed")


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.float32, torch.float64])
@pytest.mark.parametrize("n", [0, 1, 1000])
def test_updates_of_equal_addresses(run: Run, dtype: torch.dtype, n: int) -> None:
    x = numbers(dtype, 1024, low=-9, high=9)[:n].contiguous()
    index = torch.randint(0, 7, (n,), dtype=torch.int32, generator=torch.Generator().manual_seed(n))
    sums = torch.zeros(7, dtype=dtype)
    run(scatter_add, (32,), sums, index, x, n, N=32)
    wide = torch.float64 if dtype.is_floating_point else torch.int64
    check(sums, torch.zeros(7, dtype=wide).index_add_(0, index.long(), x.to(wide)), scale=400)


@blockdsl.jit
def smallest(at_ptr, x_ptr, old_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(old_ptr + at, tl.atomic_min(at_ptr + at % 2, tl.load(x_ptr + at)))


def test_positive_floats_are_updated_first(run: Run) -> None:
    here, old = torch.tensor([9.0, 9.0]), torch.zeros(8)
    run(smallest, (1,), here, torch.tensor([-1.0, 4.0, 3.0, -5.0, 2.0, 1.0, -2.0, 6.0]), old, N=8)
    assert old.tolist() == [2.0, 9.0, 9.0, 1.0, 3.0, 4.0, -1.0, 1.0]
    assert here.tolist() == [-2.0, -5.0]


@blockdsl.jit
def of_a_matrix(out_ptr, x_ptr, M: tl.constexpr, N: tl.constexpr):
    rows, columns = tl.arange(0, M)[:, None], tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + columns * M + rows)
    found = tl.atomic_add(out_ptr + rows * N + columns, x * 2, mask=(rows + columns) % 3 != 0)
    # The previous values are used in further arithmetic, and unused updates are executed all the same.
    tl.atomic_add(out_ptr + rows * N + columns, tl.trans(tl.trans(found)) * 10)


def test_blocks_of_two_dimensions(run: Run) -> None:
    out, x = numbers(torch.int32, 8, 16), numbers(torch.int32, 16, 8)
    active = (torch.arange(8)[:, None] + torch.arange(16)) % 3 != 0
    expected = out + torch.where(active, x.T * 2 + out * 10, 0)
    run(of_a_matrix, (1,), out, x, M=8, N=16)
    assert torch.equal(out, expected)


@blockdsl.jit
def in_order(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    before = tl.load(x_ptr + at)
    tl.store(x_ptr + at, before + 1)
    found = tl.atomic_add(x_ptr + N - 1 - at, 10)
    after = tl.load(x_ptr + at)
    tl.store(out_ptr + at, before)
    tl.store(out_ptr + N + at, found)
    tl.store(out_ptr + 2 * N + at, after)


def test_loads_and_stores_are_not_reordered(run: Run) -> None:
    x, out = numbers(torch.int32, 64), torch.zeros(3, 64, dtype=torch.int32)
    start = x.clone()
    run(in_order, (1,), x, out, N=64)
    assert torch.equal(out, torch.stack([start, (start + 1).flip(0), start + 11]))


@blockdsl.jit
def relaxed_rows(out_ptr, at_ptr, x_ptr, loaded_ptr, n, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS)[:, None], tl.arange(0, COLUMNS)[None, :]
    at = tl.load(at_ptr + rows, mask=rows < n)
    x = tl.load(x_ptr + rows * COLUMNS + columns, mask=rows < n)
    tl.atomic_add(out_ptr + at * COLUMNS + columns, x, mask=rows < n, sem="relaxed")
    tl.store(x_ptr + rows * COLUMNS + columns, x + 1, mask=rows < n)
    tl.store(loaded_ptr + rows * COLUMNS + columns, x, mask=rows < n)


@pytest.mark.parametrize("n", [0, 50, 64])
def test_relaxed_updates_of_rows(run: Run, n: int) -> None:
    out, at, x = numbers(torch.int32, 8, 32), torch.arange(64) * 5 % 8, numbers(torch.int32, 64, 32)
    loaded, start = torch.zeros_like(x), x.clone()
    expected = out.index_add(0, at[:n], x[:n])
    run(relaxed_rows, (1,), out, at, x, loaded, n, ROWS=64, COLUMNS=32)
    assert torch.equal(out, expected)
    assert torch.equal(loaded[:n], start[:n])
    assert torch.equal(x[:n], start[:n] + 1)


@blockdsl.jit
def relaxed_in_place(x_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.atomic_add(x_ptr + N - 1 - at, tl.load(x_ptr + at), sem="relaxed")


def test_loads_precede_a_relaxed_update_of_the_same_memory(run: Run) -> None:
    x = numbers(torch.int32, 64)
    expected = x + x.flip(0)
    run(relaxed_in_place, (1,), x, N=64)
    assert torch.equal(x, expected)


@blockdsl.jit
def exchange(x_ptr, cmp_ptr, value_ptr, old_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    old = tl.atomic_cas(x_ptr + at, tl.load(cmp_ptr + at), tl.load(value_ptr + at))
    tl.store(old_ptr + at, old)


@pytest.mark.parametrize("dtype", [torch.int16, *INTEGERS, *HALVES, *FLOATS])
def test_exchange_compares_bits(run: Run, dtype: torch.dtype) -> None:
    x = (
        numbers(dtype, 64, low=-2, high=2).round()
        if dtype.is_floating_point
        else numbers(torch.int16, 64).abs().to(dtype)
    )
    compared = x.clone()
    if dtype.is_floating_point:
        x[:4] = torch.tensor([0.0, -0.0, float("nan"), 1.0], dtype=dtype)
        compared[:4] = torch.tensor([-0.0, -0.0, float("nan"), 1.0], dtype=dtype)
    compared[40:] = torch.zeros(24, dtype=dtype)
    value, old, start = torch.arange(64).to(dtype), torch.zeros(64, dtype=dtype), x.clone()
    same = bits(x) == bits(compared)
    assert 0 < same.sum() < 64
    run(exchange, (1,), x, compared, value, old, N=64)
    assert np.array_equal(bits(x), np.where(same, bits(value), bits(start)))
    assert np.array_equal(bits(old), bits(start))


@blockdsl.jit
def read_and_write(x_ptr, out_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.atomic_store(out_ptr + at, tl.atomic_load(x_ptr + at, mask=at < n), mask=at < N - 2)
    tl.atomic_store(out_ptr + N - 1, tl.atomic_load(x_ptr, sem="relaxed"), sem="relaxed")


@pytest.mark.parametrize("dtype", [torch.bool, torch.int8, torch.uint8, torch.int16, *INTEGERS, *HALVES, *FLOATS])
def test_reads_and_writes(run: Run, dtype: torch.dtype) -> None:
    x = numbers(torch.int32, 32, low=1, high=5).to(dtype)
    out = torch.ones(32, dtype=dtype)
    run(read_and_write, (1,), x, out, 20, N=32)
    expected = torch.cat([x[:20], torch.zeros(10, dtype=dtype), torch.ones(1, dtype=dtype), x[:1]])
    assert torch.equal(out, expected)


@blockdsl.jit
def methods(x_ptr, out_ptr):
    tl.store(out_ptr, x_ptr.atomic_add(1) + x_ptr.atomic_xchg(5) + x_ptr.atomic_cas(5, 6) + x_ptr.atomic_load())


def test_methods_of_a_pointer(run: Run) -> None:
    x, out = torch.tensor([3], dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    run(methods, (1,), x, out)
    assert (x.item(), out.item()) == (6, 3 + 4 + 5 + 6)


@blockdsl.jit
def polls(x_ptr, out_ptr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out_ptr + at, tl.atomic_poll(x_ptr + at, 1, timeout_ns=1000))
    tl.store(out_ptr + N, tl.atomic_poll(x_ptr + 1, 1))


def test_polls_time_out(run: Run) -> None:
    x, out = torch.tensor([0, 1, 2, 1], dtype=torch.int32), torch.zeros(5, dtype=torch.bool)
    run(polls, (1,), x, out, N=4)
    assert out.tolist() == [False, True, False, True, True]


@blockdsl.jit
def meets(total, largest, iterations):
    """All programs update the same elements, once in each iteration."""
    first = tl.program_id(0) * iterations
    for i in range(iterations):
        tl.atomic_add(total, 1.0)
        tl.atomic_max(largest, (first + i).to(largest.dtype.element_ty))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_concurrent_updates(dtype: torch.dtype) -> None:
    """No update is lost, although threads interleave between reading and writing."""
    programs, iterations = 64, 10_000
    total, largest = torch.zeros(1, dtype=dtype), torch.zeros(1, dtype=dtype)
    meets[(programs,)](total, largest, iterations)
    assert total.item() == programs * iterations
    assert largest.item() == programs * iterations - 1

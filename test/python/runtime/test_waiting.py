"""Programs of a launch that wait for each other: for a lock, for an earlier program, for all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.errors import LaunchError

pytestmark = pytest.mark.usefixtures("workers")


@pytest.fixture(params=[1, 2, 8])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    before = torch.get_num_threads()
    torch.set_num_threads(request.param)
    yield request.param
    torch.set_num_threads(before)


@blockdsl.jit
def add_under_a_lock(lock, total, x, N: tl.constexpr):
    at = tl.arange(0, N)
    mine = tl.load(x + tl.program_id(0) * N + at)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    # Not atomic: the lock excludes other programs.
    tl.store(total + at, tl.load(total + at) + mine)
    tl.atomic_xchg(lock, 0)


def test_lock_is_exclusive(threads: int) -> None:
    x = torch.randint(0, 100, (500, 64))
    for _ in range(5):
        lock, total = torch.zeros(1, dtype=torch.int32), torch.zeros(64, dtype=torch.int64)
        add_under_a_lock[(500,)](lock, total, x, N=64)
        assert torch.equal(total, x.sum(0))
        assert lock.item() == 0


@blockdsl.jit
def running_sum(x, out, sums, flags, N: tl.constexpr):
    """Each program adds to the sum of all programs before it, which the previous one publishes."""
    program = tl.program_id(0)
    at = program * N + tl.arange(0, N)
    values = tl.load(x + at)
    before = tl.zeros((), tl.int64)
    if program > 0:
        while tl.atomic_load(flags + program - 1) == 0:
            pass
        before = tl.load(sums + program - 1)
    tl.store(sums + program, before + tl.sum(values, 0))
    tl.atomic_store(flags + program, 1)
    tl.store(out + at, before + tl.cumsum(values, 0))


def test_each_program_waits_for_the_previous(threads: int) -> None:
    x = torch.randint(-100, 100, (300 * 64,))
    out, sums = torch.zeros_like(x), torch.zeros(300, dtype=torch.int64)
    flags = torch.zeros(300, dtype=torch.int32)
    running_sum[(300,)](x, out, sums, flags, N=64)
    assert torch.equal(out, x.cumsum(0))


def test_interpreted_programs_may_wait_for_earlier_ones() -> None:
    x = torch.randint(-100, 100, (5 * 16,))
    out, sums = torch.zeros_like(x), torch.zeros(5, dtype=torch.int64)
    arguments = {"x": x, "out": out, "sums": sums, "flags": torch.zeros(5, dtype=torch.int32), "N": 16}
    interpreter.run(running_sum.source, arguments, (5,))
    assert torch.equal(out, x.cumsum(0))


@blockdsl.jit
def all_at_once(x, out, barrier):
    """Every program waits for all of them twice, as in cooperative launches on a GPU."""
    program, count = tl.program_id(0), tl.num_programs(0)
    tl.store(x + program, program)
    tl.atomic_add(barrier, 1)
    while tl.atomic_add(barrier, 0) < count:
        pass
    following = tl.load(x + (program + 1) % count)
    tl.atomic_add(barrier + 1, 1)
    tl.atomic_poll(barrier + 1, count)
    tl.store(x + program, following)
    tl.store(out + program, following)


@pytest.mark.parametrize("programs", [1, 2, 3, 65])
def test_all_programs_wait_for_all(threads: int, programs: int) -> None:
    x, out, barrier = (torch.zeros(size, dtype=torch.int32) for size in (programs, programs, 2))
    all_at_once[(programs,)](x, out, barrier)
    assert torch.equal(out, torch.arange(1, programs + 1, dtype=torch.int32) % programs)
    assert torch.equal(x, out)


def test_interpreted_programs_cannot_wait_for_later_ones() -> None:
    x, out, barrier = (torch.zeros(size, dtype=torch.int32) for size in (2, 2, 2))
    message = "the program waits for another one, and interpreted programs run one after the other"
    with pytest.raises(LaunchError, match=message):
        interpreter.run(all_at_once.source, {"x": x, "out": out, "barrier": barrier}, (2,))


@blockdsl.jit
def poll(x, out):
    tl.store(out, tl.atomic_poll(x, 1))


def test_endless_interpreted_poll_raises() -> None:
    x, out = torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.bool)
    with pytest.raises(LaunchError, match="the program waits for another one"):
        interpreter.run(poll.source, {"x": x, "out": out}, (1,))


@blockdsl.jit
def take_work(counter, x, tiles, N: tl.constexpr):
    """Programs take one tile after another: the loop's end depends on other programs, but does not wait for them."""
    tile = tl.atomic_add(counter, 1)
    while tile < tiles:
        at = tile * N + tl.arange(0, N)
        tl.store(x + at, tl.load(x + at) + 1)
        tile = tl.atomic_add(counter, 1)


def test_work_is_handed_out(threads: int) -> None:
    counter, x = torch.zeros(1, dtype=torch.int32), torch.zeros(1000, 64)
    take_work[(4,)](counter, x, 1000, N=64)
    assert x.eq(1).all()
    assert counter.item() == 1004

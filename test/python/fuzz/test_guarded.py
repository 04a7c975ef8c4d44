"""Guarded arrays: an access beside one ends the process, a write within its pages is found."""

from __future__ import annotations

import faulthandler
import multiprocessing
import signal

import numpy as np
import pytest

from guarded import Guarded


@pytest.mark.parametrize("at_end", [True, False])
@pytest.mark.parametrize("count", [1, 3, 1024, 5000])
def test_holds_a_copy(count: int, at_end: bool) -> None:
    guarded = Guarded(np.arange(count, dtype=np.int32), at_end=at_end)
    assert guarded.array.view(np.int32).tolist() == list(range(count))
    guarded.check()


@pytest.mark.parametrize(("at_end", "position"), [(True, -1), (False, 12)])
def test_out_of_bounds_write_is_found(at_end: bool, position: int) -> None:
    guarded = Guarded(np.arange(3, dtype=np.int32), at_end=at_end)
    guarded.whole[guarded.offset - 16 * 4096 + position] = 7
    with pytest.raises(AssertionError, match=f"byte {position} of x, which has 12, was written"):
        guarded.check("x")


def touch(at_end: bool) -> None:
    faulthandler.disable()  # pytest's handler would write a stack trace into the log of a successful run.
    guarded = Guarded(np.arange(3, dtype=np.int32), at_end=at_end)
    beside = np.lib.stride_tricks.as_strided(guarded.array, (14,), (1,))
    if at_end:
        beside[12] = 0
    else:
        np.frombuffer(guarded.map, np.uint8, 1, guarded.offset - 1)[0] = 0


@pytest.mark.parametrize("at_end", [True, False])
def test_access_to_guard_page_ends_the_process(at_end: bool) -> None:
    process = multiprocessing.get_context("fork").Process(target=touch, args=(at_end,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGSEGV

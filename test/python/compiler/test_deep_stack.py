"""Tests of compilations on other threads than the main one, and Ctrl-C while the main thread waits for them."""

from __future__ import annotations

import sys
import threading
import time
from types import FrameType
from typing import Any

import pytest

from blockdsl.compiler import compile_thread


def test_interrupt_at_end_of_wait_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """An event's wait acquires a lock again at its end; it raises RuntimeError if a signal handler raises there."""
    failed: list[Any] = []
    monkeypatch.setattr(threading, "excepthook", failed.append)
    take_again: Any = getattr(threading.Condition, "_acquire_restore")  # noqa: B009 - it has no type

    def interrupt(frame: FrameType, _event: str, _argument: object) -> None:
        # Not in the start of the thread, which is Python's own code.
        caller = frame.f_back and frame.f_back.f_back and frame.f_back.f_back.f_back
        if (
            frame.f_code is take_again.__code__
            and caller
            and caller.f_code is compile_thread.on_compile_thread.__code__
        ):
            raise KeyboardInterrupt

    before = sys.gettrace()
    sys.settrace(interrupt)
    try:
        compile_thread.on_compile_thread(time.sleep, 0.01)
    finally:
        sys.settrace(before)
    assert not failed

"""Checks of threads, captures of graphs, and kernels that are freed."""

from __future__ import annotations

import gc
import threading
from collections import Counter

import pytest
import stub
from stub import FIRST_CONTEXT, make_add, operands

from benchmarks.memory import growth


@pytest.fixture(autouse=True)
def fresh() -> None:
    stub.unload_the_dead()


def names(calls: list[stub.Call]) -> list[str]:
    return [call["call"] for call in calls]


def test_threads_load_once_with_separate_arguments() -> None:
    add = make_add(global_scratch=(8, 8))
    start = threading.Barrier(8)

    def work(which: int) -> None:
        start.wait()
        for repeat in range(300):
            device = repeat % 2
            add[(1 + which,)](
                *(stub.tensor(base + 16 * which, device=device) for base in (0xA00000, 0xB00000, 0xC00000)), 200
            )

    threads = [threading.Thread(target=work, args=(which,)) for which in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    calls = stub.take()
    assert names(calls).count("cuModuleLoadData") == 2
    launches = [call for call in calls if call["call"] == "cuLaunchKernelEx"]
    counts = Counter((call["grid"][0], call["context"], *call["parameters"][:3]) for call in launches)
    assert counts == {
        (1 + which, FIRST_CONTEXT + device, *((base + 16 * which).to_bytes(8, "little").hex()
                                              for base in (0xA00000, 0xB00000, 0xC00000))): 150
        for which in range(8) for device in range(2)}  # fmt: skip
    assert len({call["thread"] for call in launches}) == 8
    assert stub.allocations() == 0


def test_a_launch_lets_other_threads_run() -> None:
    """The driver blocks while its queue is full: the stub blocks until another thread has run."""
    add = make_add()
    add[(1,)](*operands(), 200)
    stub.hold_launches(True)
    launching = threading.Thread(target=lambda: add[(1,)](*operands(), 200))
    launching.start()
    while not stub.held():
        pass
    stub.hold_launches(False)
    launching.join()
    assert len(stub.launches()) == 2


@pytest.fixture
def stream():  # type: ignore[no-untyped-def]
    handle = 0x77
    stub.set_stream(0, handle)
    yield handle
    stub.capture(handle, False)
    stub.set_stream(0, 0)


def test_the_first_launch_may_be_captured(stream: int) -> None:
    stub.capture(stream, True)
    add = make_add(global_scratch=(128, 128), shared_bytes=100_000)
    add[(1,)](*operands(), 200)
    add[(1,)](*operands(), 200)
    stub.capture(stream, False)
    assert stub.capture_mode() == 0
    assert [call["stream"] for call in stub.launches()] == [stream] * 2


def test_the_first_launch_on_a_device_may_be_captured(stream: int) -> None:
    stub.devices(40)
    stub.capture(stream, True)
    make_add(global_scratch=(128, 128))[(1,)](*operands(39), 200)
    assert len(stub.launches()) == 1


def test_load_during_capture_of_another_thread(stream: int) -> None:
    stub.capture(0x99, True)
    try:
        make_add()[(1,)](*operands(), 200)
    finally:
        stub.capture(0x99, False)
    assert len(stub.launches()) == 1


def test_a_dead_kernel_is_unloaded_by_the_next_load() -> None:
    before = stub.modules()
    add = make_add()
    add[(1,)](*operands(1), 200)
    del add
    gc.collect()
    # Its end makes no call.
    assert "cuModuleUnload" not in names(stub.take())
    assert stub.modules() == before + 1
    make_add()[(1,)](*operands(0), 200)
    (call,) = (call for call in stub.take() if call["call"] == "cuModuleUnload")
    assert call["context"] == FIRST_CONTEXT + 1
    assert stub.modules() <= before + 1


def test_no_unload_during_capture(stream: int) -> None:
    add = make_add()
    add[(1,)](*operands(1), 200)
    del add
    gc.collect()
    stub.take()
    stub.capture(stream, True)
    make_add()[(1,)](*operands(), 200)
    assert "cuModuleUnload" not in names(stub.take())
    stub.capture(stream, False)
    make_add()[(1,)](*operands(), 200)
    assert "cuModuleUnload" in names(stub.take())


def test_a_captured_kernel_stays_for_its_graph(stream: int) -> None:
    add, other = make_add(), make_add()
    other[(1,)](*operands(), 200)
    add[(1,)](*operands(), 200)
    stub.capture(stream, True)
    add[(1,)](*operands(), 200)
    stub.capture(stream, False)
    before = stub.modules()
    del add, other
    gc.collect()
    last = make_add()
    last[(1,)](*operands(), 200)
    # One was loaded and one unloaded: the graph may launch the other one.
    assert stub.modules() == before
    del last


def test_unloading_that_fails_does_not_matter() -> None:
    add = make_add()
    add[(1,)](*operands(), 200)
    del add
    gc.collect()
    stub.fail("cuModuleUnload", 700)
    make_add()[(1,)](*operands(), 200)
    stub.forget_faults()
    assert len(stub.launches()) == 2


def test_many_kernels_do_not_leak() -> None:
    before = stub.modules()
    for _ in range(200):
        make_add()[(1,)](*operands(), 200)
        gc.collect(0)
    gc.collect()
    make_add()[(1,)](*operands(), 200)
    assert stub.modules() <= before + 2


@pytest.mark.parametrize("captured", [False, True])
@pytest.mark.parametrize("options", [{}, {"global_scratch": (128, 128), "shared_bytes": 100_000}])
def test_launches_do_not_leak(options: dict[str, object], captured: bool, stream: int) -> None:
    add, tensors = make_add(**options), operands()
    sizes = iter(range(1, 1_000_000))

    def launch() -> None:
        for _ in range(20_000):
            add[(4,)](*tensors, next(sizes))

    stub.quiet(True)
    stub.capture(stream, captured)
    launch()
    grown = growth(launch)
    stub.capture(stream, False)
    stub.quiet(False)
    # A leak of one byte a launch would be 20,000.
    assert max(each.heap for each in grown) < 5000
    assert max(each.blocks for each in grown) < 100

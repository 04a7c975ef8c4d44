"""Kernels on every device of the machine at once: its CPU, or with ``--device cuda`` all of its GPUs."""

from __future__ import annotations

import contextlib
import threading

import pytest
import torch

from examples import matmul, softmax, vector_add


@pytest.fixture
def devices(device: str) -> list[torch.device]:
    if device == "cpu":
        return [torch.device("cpu")]
    return [torch.device(device, number) for number in range(torch.cuda.device_count())]


def test_threads_launch_on_every_device(devices: list[torch.device]) -> None:
    wrong: list[tuple[torch.device, int]] = []

    def work(device: torch.device) -> None:
        for repeat in range(100):
            x, y = (torch.randn(1000 + 37 * repeat, device=device) for _ in range(2))
            rows = torch.randn(20, 100 + repeat, device=device)
            sums, shares = vector_add.add(x, y), softmax.softmax(rows)
            if not torch.equal(sums, x + y) or not torch.allclose(shares, rows.softmax(1), rtol=1e-5, atol=1e-6):
                wrong.append((device, repeat))

    threads = [threading.Thread(target=work, args=(device,)) for device in devices * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_launch_needs_no_current_device_or_stream(devices: list[torch.device]) -> None:
    """The tensors' device runs the launch, on its current stream."""
    last = devices[-1]
    gpu = last.type == "cuda"
    a, b = torch.randn(300, 200, device=last), torch.randn(200, 100, device=last)
    if gpu:
        torch.cuda.synchronize(last)  # The stream below does not wait for the stream that created the tensors.
    stream = torch.cuda.Stream(last) if gpu else None
    with torch.cuda.stream(stream) if stream else contextlib.nullcontext():
        found = matmul.matmul(a, b)
    if stream:
        stream.synchronize()
    # Matmuls of f32 are TF32 on a GPU.
    torch.testing.assert_close(
        found.double(), a.double() @ b.double(), rtol=2e-2 if gpu else 1e-4, atol=0.2 if gpu else 1e-4
    )

"""The example kernels against f64, on sizes that fill no block, and as programs of their own.

With ``--device cuda`` the kernels run on the GPU.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from examples import layer_norm, matmul, softmax, vector_add

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("n", [1, 1023, 1024, 1025, 98_432])
def test_vector_add_is_exact(n: int, device: str) -> None:
    x, y = torch.randn(n, device=device), torch.randn(n, device=device)
    assert torch.equal(vector_add.add(x, y), x + y)


@pytest.mark.parametrize("shape", [(1, 1), (3, 781), (5, 1024), (2, 1025)])
def test_softmax(shape: tuple[int, int], device: str) -> None:
    x = 10 * torch.randn(shape, device=device)
    torch.testing.assert_close(softmax.softmax(x).double(), torch.softmax(x.double(), 1), rtol=2e-6, atol=1e-9)


def test_softmax_of_rows_with_a_gap(device: str) -> None:
    x = torch.randn(7, 100, device=device)[:, :61]
    torch.testing.assert_close(softmax.softmax(x).double(), torch.softmax(x.double(), 1), rtol=2e-6, atol=1e-9)


@pytest.mark.parametrize("shape", [(3, 64), (4, 781), (2, 8192)])
def test_layer_norm(shape: tuple[int, int], device: str) -> None:
    x = 3 + torch.randn(shape, device=device)
    weight, bias = torch.randn(shape[1], device=device), torch.randn(shape[1], device=device)
    normal, mean, rstd = layer_norm.layer_norm(x, weight, bias)
    wide = x.double()
    variance = wide.var(1, correction=0)
    torch.testing.assert_close(mean.double(), wide.mean(1), rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(rstd.double(), (variance + 1e-5).rsqrt(), rtol=1e-5, atol=1e-6)
    expected = torch.nn.functional.layer_norm(wide, shape[1:], weight.double(), bias.double(), 1e-5)
    torch.testing.assert_close(normal.double(), expected, rtol=1e-4, atol=1e-5)


def check_product(actual: torch.Tensor, expected: torch.Tensor) -> None:
    # On a GPU f32 is multiplied as tf32, whose operands have 11 bits.
    tolerance = 1e-4 if actual.device.type == "cpu" else 0.05
    torch.testing.assert_close(actual.double(), expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shape", [(64, 64, 64), (1, 1, 1), (100, 77, 51), (130, 65, 200)])
@pytest.mark.parametrize("blocks", [(64, 64, 32), (32, 128, 64)])
def test_matmul(shape: tuple[int, int, int], blocks: tuple[int, int, int], device: str) -> None:
    m, n, k = shape
    a, b = torch.randn(m, k, device=device), torch.randn(k, n, device=device)
    check_product(matmul.matmul(a, b, blocks=blocks), a.double() @ b.double())


def test_matmul_of_transposed_operands_with_an_activation(device: str) -> None:
    a, b = torch.randn(51, 100, device=device).T, torch.randn(77, 51, device=device).T
    expected = torch.nn.functional.leaky_relu(a.double() @ b.double(), 0.01)
    check_product(matmul.matmul(a, b, matmul.leaky_relu), expected)


@pytest.mark.parametrize("name", ["vector_add", "softmax", "layer_norm", "matmul"])
def test_an_example_is_a_program(name: str) -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / f"{name}.py")], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"{name}, ")
    assert float(done.stdout.split()[-1]) < (0.2 if torch.cuda.is_available() and name == "matmul" else 1e-3)


# The processes connect at this address, whether or not the machine's name resolves.
LAUNCHER = ["-m", "torch.distributed.run", "--standalone", "--local-addr", "127.0.0.1"]


def finished(command: list[str], environment: dict[str, str]) -> str:
    """Returns a program's output. SIGTERM ends one that hangs, and its processes with torchrun; SIGKILL would not."""
    process = subprocess.Popen(
        [sys.executable, *command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        output, errors = process.communicate(timeout=600)
    except subprocess.TimeoutExpired:
        process.terminate()
        output, errors = process.communicate()
    assert process.returncode == 0, output + errors
    return output


def train(processes: int, log: Path, further: dict[str, str]) -> str:
    """Returns the output of the data-parallel example on several processes of a CPU."""
    program = [str(Path(__file__).with_name("data_parallel_program.py")), str(log), "--steps", "20"]
    launcher = [*LAUNCHER, "--nproc-per-node", str(processes)] if processes > 1 else []
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment |= {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", **further}
    return finished([*launcher, *program], environment)


def numbers(pattern: str, text: str) -> torch.Tensor:
    return torch.tensor([float(word) for found in re.findall(pattern, text) for word in found.split()])


def test_two_processes_train_as_one(tmp_path: Path, keeping: dict[str, str]) -> None:
    log = tmp_path / "log"
    two = train(2, log, {})  # If stages are dumped, every process compiles.
    assert two.startswith("2 x cpu, 1 threads each\ngradients: equal in all processes, ")
    lines = log.read_text().splitlines()
    assert [line for line in lines if line.endswith("is still there")] == []
    *compiled, first, second = sorted(lines)
    # Both start at once, and each kernel is compiled by one of them.
    assert len(compiled) == len(set(compiled)) >= 8
    assert first == second == "threads 1"

    one = train(1, log, keeping)
    assert one.startswith("1 x cpu, ")
    losses = [numbers(r"loss (\S+)", text) for text in (one, two)]
    torch.testing.assert_close(losses[0], losses[1], rtol=0, atol=2e-4)
    assert losses[0][-1] < 0.4 * losses[0][0]
    ends = [numbers(r"parameters: equal in all processes, (.*)", text) for text in (one, two)]
    assert ends[0].shape == (4,)
    torch.testing.assert_close(ends[0], ends[1], rtol=1e-4, atol=1e-3)

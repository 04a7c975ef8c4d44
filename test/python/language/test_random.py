"""Random numbers: the generator's published vectors, and stock Triton's numbers, bit for bit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import same_random
import stock
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def counted(out_ptr, c_ptr, k_ptr, ROUNDS: tl.constexpr):
    k0, k1 = tl.load(k_ptr), tl.load(k_ptr + 1)
    c0, c1, c2, c3 = tl.load(c_ptr), tl.load(c_ptr + 1), tl.load(c_ptr + 2), tl.load(c_ptr + 3)
    a, b, c, d = tl.philox_impl(c0, c1, c2, c3, k0, k1, ROUNDS)
    tl.store(out_ptr, a)
    tl.store(out_ptr + 1, b)
    tl.store(out_ptr + 2, c)
    tl.store(out_ptr + 3, d)


# Counter, key and result after ten rounds, as published by the authors of the algorithm.
VECTORS = {
    "zeros-32": ("0 0 0 0", "0 0", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    "ones-32": ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    "pi-32": ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
    "zeros-64": ("0 0 0 0", "0 0", "16554d9eca36314c db20fe9d672d0fdc d7e772cee186176b 7e68b68aec7ba23b"),
    "ones-64": (
        "ffffffffffffffff ffffffffffffffff ffffffffffffffff ffffffffffffffff",
        "ffffffffffffffff ffffffffffffffff",
        "87b092c3013fe90b 438c3c67be8d0224 9cc7d7c69cd777b6 a09caebf594f0ba0",
    ),
    "pi-64": (
        "243f6a8885a308d3 13198a2e03707344 a4093822299f31d0 082efa98ec4e6c89",
        "452821e638d01377 be5466cf34e90c6c",
        "a528f45403e61d95 38c72dbd566e9788 a5a1610e72fd18b5 57bd43b5e52b7fe6",
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_published_vectors(run: Run, name: str) -> None:
    kind = np.uint64 if name.endswith("64") else np.uint32
    counter, key, expected = (np.array([int(word, 16) for word in text.split()], kind) for text in VECTORS[name])
    out = torch.zeros(4, dtype=torch.uint64 if kind is np.uint64 else torch.uint32)
    run(counted, (1,), out, torch.from_numpy(counter), torch.from_numpy(key), ROUNDS=10)
    assert [hex(word) for word in out.tolist()] == [hex(word) for word in expected.tolist()]


@pytest.fixture(scope="module")
def tritons(run_directory: Path, pytestconfig: pytest.Config) -> Mapping[str, Any]:
    return stock.answers("same_random.py", run_directory, pytestconfig.getoption("--device"))


@pytest.mark.parametrize("name", [name for name in same_random.CASES if not name.startswith("normal")])
def test_the_numbers_are_tritons(run: Run, tritons: Mapping[str, Any], name: str) -> None:
    ours = same_random.result(name, run)
    bits = f"u{ours.element_size()}"
    np.testing.assert_array_equal(ours.numpy().view(bits), tritons[name].view(bits))


@pytest.mark.parametrize("name", [name for name in same_random.CASES if name.startswith("normal")])
def test_normal_numbers_are_tritons_up_to_rounding(run: Run, tritons: Mapping[str, Any], name: str) -> None:
    np.testing.assert_allclose(same_random.result(name, run).numpy(), tritons[name], rtol=2e-5, atol=2e-6)


@blockdsl.jit
def without_tensors(out_ptr):
    tl.store(out_ptr, tl.rand(1234, 5))
    tl.store(out_ptr + 1, tl.load(out_ptr) * 0 + tl.rand(1234, tl.load(out_ptr).to(tl.int32) + 5))


def test_numbers_known_when_it_is_compiled(run: Run) -> None:
    out = torch.zeros(2)
    run(without_tensors, (1,), out)
    assert out[0] == out[1]
    assert 0 < out[0].item() < 1


@blockdsl.jit
def many(uniform_ptr, normal_ptr, seed, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(uniform_ptr + at, tl.rand(seed, at))
    tl.store(normal_ptr + at, tl.randn(seed, at))


def test_distributions() -> None:
    uniform, normal = torch.zeros(1 << 18), torch.zeros(1 << 18)
    many[(256,)](uniform, normal, 7, N=1024)
    assert 0 <= uniform.min().item() < 1e-4
    assert 1 - 1e-4 < uniform.max().item() < 1
    assert abs(uniform.mean().item() - 0.5) < 0.003
    assert abs(normal.mean().item()) < 0.01
    assert abs(normal.std().item() - 1) < 0.01
    assert uniform.unique().numel() > 250_000

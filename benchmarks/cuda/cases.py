"""Benchmark cases for GPUs: each launches one kernel of kernels.py, compiled by a given compiler."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType

import torch

from blockdsl import cdiv, next_power_of_2


@dataclass(frozen=True)
class Case:
    """One kernel at one size.

    ``launch(kernels)`` runs it once and returns the preallocated output; ``reference`` is torch's result. ``bytes`` and
    ``operations`` are the least memory traffic and arithmetic of any program.
    """

    name: str
    size: str
    launch: Callable[[ModuleType], torch.Tensor]
    reference: Callable[[], torch.Tensor]
    tolerance: float
    bytes: int = 0
    operations: int = 0


def cases() -> Iterator[Case]:
    """Yields the cases one at a time: each needs several gigabytes."""
    yield vector_add(2**28)
    yield softmax(16384, 8192)
    yield layer_norm(16384, 8192)
    yield matmul(8192)
    yield attention(4, 32, 4096, 128)


def vector_add(n: int, device: str = "cuda") -> Case:
    x, y = torch.randn(n, device=device), torch.randn(n, device=device)
    out = torch.empty_like(x)

    def launch(kernels: ModuleType) -> torch.Tensor:
        kernels.add[(cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)
        return out

    return Case("vector add, f32", f"2^{n.bit_length() - 1}", launch, lambda: x + y, 0.0, bytes=12 * n)


def softmax(rows: int, columns: int, device: str = "cuda") -> Case:
    x = torch.randn(rows, columns, device=device)
    out = torch.empty_like(x)
    block = next_power_of_2(columns)

    def launch(kernels: ModuleType) -> torch.Tensor:
        kernels.softmax[(rows,)](out, x, x.stride(0), out.stride(0), columns, BLOCK=block, num_warps=16)
        return out

    return Case("softmax, f32", f"{rows} x {columns}", launch, lambda: torch.softmax(x, 1), 1e-6, bytes=8 * x.numel())


def layer_norm(rows: int, columns: int, device: str = "cuda") -> Case:
    x = torch.randn(rows, columns, device=device, dtype=torch.float16)
    weight, bias = (torch.randn(columns, device=device, dtype=torch.float16) for _ in range(2))
    out, mean, rstd = torch.empty_like(x), torch.empty(rows, device=device), torch.empty(rows, device=device)
    block = next_power_of_2(columns)

    def launch(kernels: ModuleType) -> torch.Tensor:
        kernels.layer_norm[(rows,)](
            x, out, weight, bias, mean, rstd, x.stride(0), columns, 1e-5, BLOCK=block, num_warps=16
        )
        return out

    def reference() -> torch.Tensor:
        return torch.nn.functional.layer_norm(x, (columns,), weight, bias, 1e-5)

    return Case("layer norm, f16", f"{rows} x {columns}", launch, reference, 4e-2, bytes=4 * x.numel())


def matmul(n: int, device: str = "cuda") -> Case:
    a, b = (torch.randn(n, n, device=device, dtype=torch.float16) for _ in range(2))
    out = torch.empty_like(a)
    grid = (cdiv(n, 128) * cdiv(n, 256),)

    def launch(kernels: ModuleType) -> torch.Tensor:
        kernels.matmul[grid](
            a, b, out, n, n, n, *a.stride(), *b.stride(), *out.stride(),
            BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, GROUP_M=8, num_warps=8, num_stages=3,
        )  # fmt: skip
        return out

    def reference() -> torch.Tensor:
        return torch.nn.functional.leaky_relu(a @ b, 0.01)

    return Case("matmul + leaky relu, f16", f"{n}", launch, reference, 2.0, operations=2 * n**3)


def attention(batch: int, heads: int, length: int, width: int, device: str = "cuda") -> Case:
    q, k, v = (torch.randn(batch, heads, length, width, device=device, dtype=torch.float16) for _ in range(3))
    out = torch.empty_like(q)
    grid = (cdiv(length, 128), batch * heads)

    def launch(kernels: ModuleType) -> torch.Tensor:
        kernels.attention[grid](
            q, k, v, out, width**-0.5, length, WIDTH=width, BLOCK_M=128, BLOCK_N=64, num_warps=8, num_stages=3
        )
        return out

    def reference() -> torch.Tensor:
        return torch.nn.functional.scaled_dot_product_attention(q, k, v)

    size = f"{batch} x {heads} x {length} x {width}"
    operations = 4 * batch * heads * length * length * width
    return Case("attention forward, f16", size, launch, reference, 4e-3, operations=operations)

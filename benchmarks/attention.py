"""Attention forward and backward, and decoding with one query a head, beside torch's: f32 and bf16."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import torch
from torch.nn.functional import scaled_dot_product_attention

from benchmarks import limits
from benchmarks.case import Case
from benchmarks.gpu_blocks import operations
from benchmarks.timing import OURS, TORCH
from examples import attention, decoding

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
TOLERANCE = {"f32": 1e-4, "bf16": 0.1}

SIZES = ((8, 1024, 64), (8, 1000, 64), (16, 2048, 128))
"""Heads, length, width."""

BLOCKS = (64, 64)
"""Queries and keys of a block, forward. Backward they are the tutorial's, 32 and 128."""

CACHES = ((32, 32, 1024), (32, 8, 1024), (32, 8, 4096), (32, 8, 16384))
"""Heads of queries, heads of keys, and keys of a decoding step, of 128 elements each."""

WIDTH = 128


def cases(peers: bool) -> Iterator[Case]:
    """No peers: see benchmarks/matmul.py."""
    del peers
    for name in TYPES:
        for size in SIZES:
            for causal in (False, True):
                yield from of_size(name, *size, causal)
        for cache in CACHES:
            yield of_cache(name, *cache)


def of_torch(tensors: Sequence[torch.Tensor], *, causal: bool) -> torch.Tensor:
    q, k, v = tensors
    return scaled_dot_product_attention(q, k, v, is_causal=causal)


def of_size(name: str, heads: int, length: int, width: int, causal: bool) -> Iterator[Case]:
    """Forward, and all three gradients."""
    q, k, v, dout = torch.randn(4, heads, length, width).to(TYPES[name]).unbind()
    label = f"{heads} x {length} x {width}{', causal' if causal else ''}"
    pairs = length * (length + 1) // 2 if causal else length * length
    of_product = 2 * heads * pairs * width

    def limit(products: int) -> Callable[[int], float]:
        return lambda threads: products * of_product / operations(name, threads)

    torch_inputs = [x[None].detach().requires_grad_() for x in (q, k, v)]
    wide = [x.double().requires_grad_() for x in (q, k, v)]
    exact = of_torch(wide, causal=causal)
    results = {contender: torch.empty_like(q) for contender in (OURS, TORCH)}
    lse = q.new_empty(heads, length, dtype=torch.float32)
    yield Case(
        f"attention, {name}",
        label,
        {
            OURS: lambda: attention.forward(q, k, v, results[OURS], lse, causal=causal, blocks=BLOCKS),
            TORCH: lambda: results[TORCH].copy_(
                scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal)[0]
            ),
        },
        results,
        exact.detach,
        tolerance=TOLERANCE[name],
        limit=limit(2),
    )
    gradients = {contender: torch.empty(3, *q.shape, dtype=q.dtype) for contender in (OURS, TORCH)}
    out = torch.empty_like(q)
    attention.forward(q, k, v, out, lse, causal=causal, blocks=BLOCKS)
    into = tuple(gradients[OURS].unbind())
    torch_out = of_torch(torch_inputs, causal=causal)

    def backward() -> None:
        for x, dx in zip(
            gradients[TORCH], torch.autograd.grad(torch_out, torch_inputs, dout[None], retain_graph=True), strict=True
        ):
            x.copy_(dx[0])

    options = {"causal": causal, "blocks": (32, 128)}
    yield Case(
        f"attention backward, {name}",
        label,
        {
            OURS: lambda: attention.backward(q, k, v, out, lse, dout, into, **options),  # type: ignore[arg-type]
            TORCH: backward,
        },
        gradients,
        lambda: torch.stack(torch.autograd.grad(exact, wide, dout.double(), retain_graph=True)),
        tolerance=4 * TOLERANCE[name],
        limit=limit(5),
        at_least=1.0,
    )


def of_cache(name: str, heads: int, groups: int, length: int) -> Case:
    """A step of decoding, which can take no less than reading keys and values once."""
    q = torch.randn(1, heads, WIDTH).to(TYPES[name])
    k, v = torch.randn(2, 1, length, groups, WIDTH).to(TYPES[name]).unbind()
    lengths = torch.tensor([length])
    results = {contender: torch.empty_like(q) for contender in (OURS, TORCH)}

    def torch_decode(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        k, v = k.transpose(1, 2), v.transpose(1, 2)
        return scaled_dot_product_attention(q[:, :, None], k, v, enable_gqa=heads != groups)[:, :, 0]

    # Half of what is read is counted as written.
    words = k.numel() * k.element_size() // 4
    return Case(
        f"decoding, {name}",
        f"{heads} heads in {groups} groups, {length} keys of {WIDTH}",
        {
            OURS: lambda: decoding.decode(q, k, v, lengths, results[OURS]),
            TORCH: lambda: results[TORCH].copy_(torch_decode(q, k, v)),
        },
        results,
        lambda: torch_decode(q.double(), k.double(), v.double()),
        tolerance=TOLERANCE[name],
        limit=lambda threads: limits.streaming_seconds(words, 1, threads),
        at_least=1.0,
    )

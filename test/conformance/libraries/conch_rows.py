"""conch: operators of inference, against the library's references and formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from conformance.libraries.rows import SINGLE, Row, Tensor, integers, normal, uniform

LENGTHS = (17, 40, 5)
BLOCK = 16


def cached(tables: Tensor, cache: Tensor, sequence: int, length: int) -> Tensor:
    """Returns the first keys or values of a sequence, from the blocks in its row of the table."""
    return cache[tables[sequence]].flatten(0, 1)[:length]


def attention(query: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Attention of queries (count, heads, size) to all keys; a head of keys may serve several heads of queries."""
    repeats = query.shape[1] // keys.shape[1]
    keys, values = (part.repeat_interleave(repeats, 1).transpose(0, 1) for part in (keys, values))
    scores = query.transpose(0, 1) @ keys.transpose(-1, -2) / query.shape[-1] ** 0.5
    return (scores.softmax(-1) @ values).transpose(0, 1)


def paged(query: Tensor, keys: Tensor, values: Tensor, tables: Tensor, lengths: Tensor) -> Tensor:
    results = [
        attention(
            query[number : number + 1], cached(tables, keys, number, length), cached(tables, values, number, length)
        )
        for number, length in enumerate(lengths.tolist())
    ]
    return torch.cat(results)


def varying(query: Tensor, keys: Tensor, values: Tensor, starts: Tensor, lengths: Tensor, tables: Tensor) -> Tensor:
    bounds = starts.tolist()
    results = [
        attention(
            query[bounds[number] : bounds[number + 1]],
            cached(tables, keys, number, length),
            cached(tables, values, number, length),
        )
        for number, length in enumerate(lengths.tolist())
    ]
    return torch.cat(results)


def caches() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Keys, values, the table of blocks and the lengths."""
    tables = torch.randperm(9).reshape(3, 3).to(torch.int32)
    return normal(9, BLOCK, 2, 64), normal(9, BLOCK, 2, 64), tables, torch.tensor(LENGTHS, dtype=torch.int32)


def unpacked_product(x: Tensor, packed: Tensor, scales: Tensor) -> Tensor:
    """Weights of 4 bits, eight in an integer along the rows, minus 8; one scale for 128 rows."""
    unpacked = torch.stack([(packed.long() >> (4 * nibble)) & 15 for nibble in range(8)], 1).flatten(0, 1)
    return x @ ((unpacked - 8) * scales.repeat_interleave(128, 0))


def boxes() -> tuple[Tensor, Tensor, float]:
    corner = torch.rand(60, 2) * 50
    return torch.cat([corner, corner + torch.rand(60, 2) * 20 + 1], 1), torch.rand(60), 0.5


def pooled() -> tuple[Any, ...]:
    """Returns points sorted by their cells."""
    cells = torch.stack(
        [integers(0, 4, 90), integers(0, 5, 90), torch.zeros(90, dtype=torch.int64), integers(0, 2, 90)], 1
    )
    order = torch.argsort(cells[:, 3] * 100 + cells[:, 0] * 10 + cells[:, 1], stable=True)
    cells = cells[order].to(torch.int32)
    _, counts = torch.unique_consecutive(cells, dim=0, return_counts=True)
    starts = (counts.cumsum(0) - counts).to(torch.int32)
    return cells, starts, counts.to(torch.int32)


def filled(function: Any) -> Any:
    """Wraps a function that writes to its first arguments, to return those."""

    def call(*arguments: Any) -> Any:
        function(*arguments)
        return arguments[:2]

    return call


def store(key: Tensor, value: Tensor, keys: Tensor, values: Tensor, slots: Tensor) -> tuple[Tensor, Tensor]:
    for cache, new in ((keys, key), (values, value)):
        cache.flatten(0, 1)[slots] = new
    return keys, values


def quantized(dtype: torch.dtype, low: float, high: float) -> Any:
    def reference(x: Tensor, scale: Tensor) -> Tensor:
        scaled = (x.float() / scale.float()).clamp(low, high)
        return scaled.to(dtype).double()

    return reference


def rows() -> Iterator[Row]:
    from conch.ops.activation.gelu_tanh_and_mul import gelu_tanh_and_mul
    from conch.ops.activation.silu_and_mul import silu_and_mul
    from conch.ops.attention.paged_attention import paged_attention
    from conch.ops.attention.varlen_attention import varlen_attention
    from conch.ops.embedding.rotary_embedding import rotary_embedding
    from conch.ops.normalization.gemma_rms_norm import gemma_rms_norm
    from conch.ops.normalization.rms_norm import fused_add_rms_norm, rms_norm
    from conch.ops.quantization.bitsandbytes.functional import dequantize_4bit, quantize_4bit
    from conch.ops.quantization.fp8 import scaled_fp8_quant
    from conch.ops.quantization.gemm import mixed_precision_gemm, scaled_gemm
    from conch.ops.quantization.int8 import scaled_int8_quant
    from conch.ops.vision.bev_pool import bev_pool, bev_pool_backward
    from conch.ops.vision.nms import nms
    from conch.ops.vision.voxelization import VoxelizationParameter, generate_voxels
    from conch.ops.vllm.copy_blocks import copy_blocks
    from conch.ops.vllm.reshape_and_cache import reshape_and_cache
    from conch.reference.embedding.rotary_embedding import _rotary_embedding_pytorch_ref
    from conch.reference.vision.bev_pool import bev_pool_backward_pytorch, bev_pool_pytorch
    from conch.reference.vision.nms import _nms_pytorch_iterative

    def halves(x: Tensor) -> tuple[Tensor, Tensor]:
        return x.chunk(2, -1)  # type: ignore[return-value]

    def normed(x: Tensor, weight: Tensor) -> Tensor:
        return F.rms_norm(x, weight.shape, weight, 1e-6)

    yield Row(
        "gelu_tanh_and_mul",
        gelu_tanh_and_mul,
        lambda x: F.gelu(halves(x)[0], approximate="tanh") * halves(x)[1],
        lambda: (normal(9, 260),),
        types=SINGLE,
    )
    yield Row("silu_and_mul", silu_and_mul, lambda x: F.silu(halves(x)[0]) * halves(x)[1], lambda: (normal(9, 260),))
    yield Row("rms_norm", lambda x, w: rms_norm(x, w, 1e-6), normed, lambda: (normal(9, 130), normal(130)))
    yield Row(
        "fused_add_rms_norm",
        lambda x, r, w: fused_add_rms_norm(x, r, w, 1e-6),
        lambda x, r, w: (normed(x + r, w), x + r),
        lambda: (normal(9, 130), normal(9, 130), normal(130)),
    )
    yield Row(
        "gemma_rms_norm",
        lambda x, w: gemma_rms_norm(x, w, 1e-6),
        lambda x, w: normed(x, 1 + w),
        lambda: (normal(9, 130), normal(130)),
    )
    yield Row(
        "rotary_embedding",
        lambda p, q, k, c: rotary_embedding(p, q, k, 32, c),
        lambda p, q, k, c: _rotary_embedding_pytorch_ref(p, q, k, c, 32, 32),
        lambda: (integers(0, 64, 9), normal(9, 128), normal(9, 64), normal(64, 32)),
    )
    yield Row("paged_attention", paged_attention, paged, lambda: (normal(3, 4, 64), *caches()), scale=2.0)
    starts = torch.tensor([0, 7, 19, 24], dtype=torch.int32)
    yield Row(
        "varlen_attention",
        lambda q, k, v, t, n: varlen_attention(q, k, v, starts, 12, n, 40, t),
        lambda q, k, v, t, n: varying(q, k, v, starts, n, t),
        lambda: (normal(24, 4, 64), *caches()),
        scale=2.0,
    )
    yield Row(
        "mixed_precision_gemm",
        lambda x, w, s: mixed_precision_gemm(x, w, s, None, 4, 8, 128),
        unpacked_product,
        lambda: (normal(20, 256), integers(-(2**31), 2**31 - 1, 32, 64, dtype=torch.int32), uniform(2, 64) / 8),
        types=("float16", "bfloat16"),
        scale=3.0,
    )
    yield Row(
        "scaled_gemm",
        lambda a, b, s, t: scaled_gemm(a, b, s, t, torch.float32),
        lambda a, b, s, t: s * (a.double() @ b.double()) * t.T,
        lambda: (
            integers(-99, 99, 20, 64, dtype=torch.int8),
            integers(-99, 99, 64, 48, dtype=torch.int8),
            torch.rand(20, 1),
            torch.rand(48, 1),
        ),
        types=SINGLE,
    )
    yield Row(
        "scaled_fp8_quant",
        lambda x, s: scaled_fp8_quant(x, s)[0],
        quantized(torch.float8_e4m3fn, -448.0, 448.0),
        lambda: (normal(9, 130) * 100, torch.tensor([0.25])),
    )
    yield Row(
        "scaled_int8_quant",
        lambda x, s: scaled_int8_quant(x, s)[0].float(),
        quantized(torch.int8, -128.0, 127.0),
        lambda: (normal(9, 130) * 100, torch.tensor([3.0])),
    )
    for kind in ("nf4", "fp4"):
        yield Row(
            f"quantize_4bit {kind}",
            lambda x, k=kind: through_4_bits(x, k, quantize_4bit, dequantize_4bit),
            lambda x, k=kind: nearest_of_16(x, k),
            lambda: (normal(2048),),
            types=SINGLE,
        )
    yield Row(
        "bev_pool",
        lambda x, c, s, n: bev_pool(x, c, s, n, 2, 1, 4, 5),
        lambda x, c, s, n: bev_pool_pytorch(x, c, s, n, 2, 1, 4, 5),
        lambda: (normal(90, 24), *pooled()),
        types=SINGLE,
    )
    yield Row(
        "bev_pool_backward",
        bev_pool_backward,
        bev_pool_backward_pytorch,
        lambda: (normal(2, 1, 4, 5, 24), *pooled()),
        types=SINGLE,
    )
    yield Row("nms", nms, _nms_pytorch_iterative, boxes, types=SINGLE)
    parameter = VoxelizationParameter((0.0, 0.0, 0.0), (8.0, 8.0, 4.0), (1.0, 1.0, 1.0), 9)
    yield Row(
        "generate_voxels",
        lambda points: voxels_by_position(generate_voxels(points, parameter)),
        counted_voxels,
        lambda: (torch.rand(300, 4) * torch.tensor([9.0, 9.0, 5.0, 1.0]),),
        types=SINGLE,
    )
    yield Row(
        "copy_blocks",
        filled(copy_blocks),
        filled(copied),
        lambda: (
            [normal(6, 128) for _ in range(2)],
            [normal(6, 128) for _ in range(2)],
            torch.tensor([[0, 3], [1, 4]]),
        ),
    )
    yield Row(
        "reshape_and_cache",
        lambda k, v, a, b, s: (reshape_and_cache(k, v, a, b, s), (a, b))[1],
        store,
        lambda: (
            normal(9, 2, 32),
            normal(9, 2, 32),
            normal(4, 16, 2, 32),
            normal(4, 16, 2, 32),
            torch.randperm(64)[:9],
        ),
    )


def copied(keys: list[Tensor], values: list[Tensor], pairs: Tensor) -> None:
    for source, target in pairs.tolist():
        for cache in (*keys, *values):
            cache[target] = cache[source]


NORMAL_FLOATS = (-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635,
    -0.18477343022823334, -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634,
    0.33791524171829224, 0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0)  # fmt: skip
"""bitsandbytes' NF4, from the paper; FP4 is below."""

FLOATS_OF_4_BITS = (0.0, 0.0052083333, 0.6666667, 1.0, 0.3333333, 0.5, 0.1666667, 0.25)


def nearest_of_16(x: Tensor, kind: str) -> Tensor:
    """Rounds values to 4 bits, with a scale for each 64."""
    table = torch.tensor(NORMAL_FLOATS if kind == "nf4" else [*FLOATS_OF_4_BITS, *(-x for x in FLOATS_OF_4_BITS)])
    blocks = x.reshape(-1, 64)
    largest = blocks.abs().amax(1, keepdim=True)
    nearest = (blocks / largest).unsqueeze(-1).sub(table.double()).abs().argmin(-1)
    return (table.double()[nearest] * largest).reshape(x.shape)


def through_4_bits(x: Tensor, kind: str, quantize: Any, dequantize: Any) -> Tensor:
    packed, state = quantize(x, blocksize=64, quant_type=kind)
    result: Tensor = dequantize(packed, state, blocksize=64, quant_type=kind)
    return result


def voxels_by_position(result: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    """Counts and sums of the points of each voxel on the grid, because the order of points depends on atomics."""
    count, points, positions, sizes = result
    number = int(count)
    grid, sums = torch.zeros(4, 8, 8, dtype=torch.int32), torch.zeros(4, 8, 8)
    for position, size, voxel_points in zip(positions[:number].tolist(), sizes[:number], points[:number], strict=True):
        grid[position[2], position[1], position[0]] = size
        sums[position[2], position[1], position[0]] = voxel_points[:, 3].sum() if size < 9 else 0
    return grid, sums


def counted_voxels(points: Tensor) -> tuple[Tensor, Tensor]:
    grid, sums = torch.zeros(4, 8, 8, dtype=torch.int32), torch.zeros(4, 8, 8, dtype=torch.float64)
    for x, y, z, value in points.tolist():
        if x < 8 and y < 8 and z < 4:
            grid[int(z), int(y), int(x)] += 1
            sums[int(z), int(y), int(x)] += value
    full = grid >= 9
    return grid.clamp_max(9), sums.masked_fill(full, 0.0)

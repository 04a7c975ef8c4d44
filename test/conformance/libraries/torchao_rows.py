"""torchao: quantization to 8 bits by blocks, and quantized matmuls, against the library's plain versions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from conformance.libraries.rows import SINGLE, Row, Tensor, integers, normal

EIGHT = torch.float8_e4m3fn
LARGEST = 448.0


def blocks(x: Tensor, height: int, width: int) -> Tensor:
    """(rows of blocks, columns of blocks, height, width)."""
    return x.reshape(x.shape[0] // height, height, x.shape[1] // width, width).transpose(1, 2)


def rounded(x: Tensor, height: int, width: int) -> tuple[Tensor, Tensor]:
    """Quantizes blocks to 8 bits; returns them with the scale of each block."""
    tiles = blocks(x, height, width)
    scale = tiles.abs().amax((2, 3), keepdim=True) / LARGEST
    return ((tiles / scale).to(EIGHT).double() * scale).transpose(1, 2).reshape(x.shape), scale[..., 0, 0]


def restored(result: tuple[Tensor, Tensor], height: int, width: int) -> tuple[Tensor, Tensor]:
    values, scale = result
    element_scales = scale.reshape(values.shape[0] // height, values.shape[1] // width)
    element_scales = element_scales.repeat_interleave(height, 0).repeat_interleave(width, 1)
    return values.to(torch.float32) * element_scales, scale


def scaled(x: Tensor, scale: Tensor, height: int, width: int) -> Tensor:
    return x.double() * scale.double().repeat_interleave(height, 0).repeat_interleave(width, 1)


def eight(*shape: int) -> Tensor:
    return torch.randn(shape).to(EIGHT)


def by_blocks() -> tuple[Tensor, ...]:
    """Two matrices, each followed by its scales: one for 128 elements of a row, and one for a block."""
    return eight(64, 256), torch.rand(64, 2) / 16, eight(256, 128), torch.rand(2, 1)


def by_columns() -> tuple[Tensor, ...]:
    """The same with scales for 128 of a column."""
    return eight(64, 256), torch.rand(64, 2) / 16, eight(256, 128), torch.rand(2, 128)


def rows() -> Iterator[Row]:
    from torchao.kernel import blockwise_quantization as blockwise
    from torchao.prototype.blockwise_fp8_training import kernels as training
    from torchao.prototype.quantized_training.int8_mm import scaled_int8_mm_cuda

    yield Row(
        "fp8_blockwise_act_quant",
        lambda x: restored(blockwise.fp8_blockwise_act_quant(x), 1, 128),
        lambda x: rounded(x, 1, 128),
        lambda: (normal(20, 256),),
        types=SINGLE,
    )
    yield Row(
        "fp8_blockwise_weight_quant",
        lambda x: restored(blockwise.fp8_blockwise_weight_quant(x), 128, 128),
        lambda x: rounded(x, 128, 128),
        lambda: (normal(256, 256),),
        types=SINGLE,
    )
    yield Row(
        "fp8_blockwise_weight_dequant",
        blockwise.fp8_blockwise_weight_dequant,
        lambda x, s: scaled(x, s, 128, 128),
        lambda: (eight(256, 256), torch.rand(2, 2)),
        types=SINGLE,
    )
    yield Row(
        "blockwise_fp8_gemm",
        lambda a, s, b, t: blockwise.blockwise_fp8_gemm(a, s, b, t).float(),
        lambda a, s, b, t: scaled(a, s, 1, 128) @ scaled(b, t, 128, 128).T,
        lambda: (eight(40, 256), torch.rand(40, 2) / 16, eight(128, 256), torch.rand(1, 2)),
        types=("bfloat16",),
    )
    for name, shape in (("act_quant_lhs", (1, 128)), ("act_quant_rhs", (128, 1)), ("weight_quant_rhs", (128, 128))):
        function = getattr(training, f"triton_fp8_blockwise_{name}")
        yield Row(
            f"triton_fp8_blockwise_{name}",
            lambda x, f=function, s=shape: restored(f(x), *s),
            lambda x, s=shape: rounded(x, *s),
            lambda: (normal(256, 256),),
            types=SINGLE,
        )
    for name, factor in (("128x128", by_blocks), ("128x1", by_columns)):
        yield Row(
            f"triton_fp8_gemm_1x128_{name}",
            product(getattr(training, f"triton_fp8_gemm_1x128_{name}")),
            lambda a, s, b, t: scaled(a, s, 1, 128) @ scaled(b, t, 128, 128 // t.shape[1]),
            factor,
            types=("bfloat16",),
        )
    yield Row(
        "scaled_int8_mm",
        scaled_int8_mm_cuda,
        lambda a, b, r, c: (a.double() @ b.double()) * r[:, None] * c,
        lambda: (
            integers(-99, 99, 40, 96, dtype=torch.int8),
            integers(-99, 99, 96, 48, dtype=torch.int8),
            torch.rand(40),
            torch.rand(48),
        ),
        types=SINGLE,
    )


def product(function: Any) -> Any:
    """Wraps a matmul to get the right matrix and both scales column-major, as the library requires."""

    def call(a: Tensor, s: Tensor, b: Tensor, t: Tensor) -> Tensor:
        by_columns = [x.T.contiguous().T for x in (s, b)]
        return function(a, by_columns[1], by_columns[0], t).float()

    return call

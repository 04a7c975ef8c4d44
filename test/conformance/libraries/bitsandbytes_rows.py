"""bitsandbytes: its Triton back end, against the formulas; optimizers update their states in place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from conformance.libraries.rows import SINGLE, Row, Tensor, normal

BETA_1, BETA_2, EPSILON, RATE, STEP, DECAY = 0.9, 0.99, 1e-8, 0.01, 3, 0.1
States = tuple[Tensor, ...]


def adam(g: Tensor, p: Tensor, first: Tensor, second: Tensor, decay: float = DECAY) -> States:
    first, second = BETA_1 * first + (1 - BETA_1) * g, BETA_2 * second + (1 - BETA_2) * g * g
    root = (1 - BETA_2**STEP) ** 0.5
    p = p * (1 - RATE * decay)
    return p - RATE * root / (1 - BETA_1**STEP) * first / (second.sqrt() + EPSILON * root), first, second


def momentum(g: Tensor, p: Tensor, first: Tensor, second: Tensor, decay: float = DECAY) -> States:
    first = BETA_1 * first + g + decay * p
    return p - RATE * first, first, second


def rmsprop(g: Tensor, p: Tensor, first: Tensor, second: Tensor, decay: float = DECAY) -> States:
    g = g + decay * p
    first = BETA_1 * first + (1 - BETA_1) * g * g
    return p - RATE * g / (first.sqrt() + EPSILON), first, second


def adagrad(g: Tensor, p: Tensor, first: Tensor, second: Tensor, decay: float = DECAY) -> States:
    g = g + decay * p
    first = first + g * g
    return p - RATE * g / (first.sqrt() + EPSILON), first, second


def lion(g: Tensor, p: Tensor, first: Tensor, second: Tensor, decay: float = DECAY) -> States:
    p = p * (1 - RATE * decay)
    return p - RATE * torch.sign(BETA_1 * first + (1 - BETA_1) * g), BETA_2 * first + (1 - BETA_2) * g, second


OPTIMIZERS: tuple[Callable[..., States], ...] = (adam, momentum, rmsprop, adagrad, lion)


def nearest(x: Tensor, table: Tensor, size: int) -> Tensor:
    """Rounds values to the nearest of a table, with a scale for each block of that size."""
    blocks = F.pad(x.flatten(), (0, -x.numel() % size)).reshape(-1, size)
    largest = blocks.abs().amax(1, keepdim=True)
    code = (blocks / largest).unsqueeze(-1).sub(table.double()).abs().argmin(-1)
    return (table.double()[code] * largest).flatten()[: x.numel()].reshape(x.shape)


def rows() -> Iterator[Row]:
    # The back end reads the type of the accelerator, and uses a guard of its device.
    accelerator: Any = torch.accelerator
    cpu: Any = torch.cpu
    accelerator.current_accelerator = lambda *arguments, **more: torch.device("cpu")
    cpu.device = lambda device: nullcontext()
    from bitsandbytes.backends.triton import ops
    from bitsandbytes.functional import create_dynamic_map, get_4bit_type

    dynamic, positive = create_dynamic_map(), create_dynamic_map(signed=False)

    def through_8_bits(x: Tensor) -> Tensor:
        quantized, largest = ops.quantize_blockwise(x, dynamic, 256)
        return ops.dequantize_blockwise(quantized, largest, dynamic, 256, x.dtype)

    def through_4_bits(x: Tensor, kind: str) -> Tensor:
        quantized, largest = ops.quantize_4bit(x, 64, kind, torch.uint8)
        return ops.dequantize_4bit(quantized, largest, 64, kind, x.shape, x.dtype)

    def product(x: Tensor, weights: Tensor) -> Tensor:
        quantized, largest = ops.quantize_4bit(weights, 64, "nf4", torch.uint8)
        table = get_4bit_type("nf4", device="cpu")
        return ops.gemv_4bit(x, quantized, weights.shape, largest, table, 64)

    def optimized(name: str) -> Callable[..., States]:
        def update(g: Tensor, p: Tensor, first: Tensor, second: Tensor) -> States:
            ops.optimizer_update_32bit(
                name, g, p, first, second, None, 0.0, 0.0, BETA_1, BETA_2, 0.0, 0.0, EPSILON, DECAY, STEP, RATE, 1.0
            )
            return p, first, second

        return update

    def optimized_in_8_bits(name: str) -> Callable[..., States]:
        """The states are kept in 8 bits between two steps."""

        def update(g: Tensor, p: Tensor, first: Tensor, second: Tensor) -> States:
            (first_code, scale), (second_code, scale_of_two) = (
                ops.quantize_blockwise(state, table, 256) for state, table in ((first, dynamic), (second, positive))
            )
            ops.optimizer_update_8bit_blockwise(
                name, g, p, first_code, second_code, BETA_1, BETA_2, 0.0, 0.0, EPSILON, STEP, RATE, dynamic, positive,
                scale, scale_of_two,
            )  # fmt: skip
            first = ops.dequantize_blockwise(first_code, scale, dynamic, 256, torch.float32)
            return p, first, ops.dequantize_blockwise(second_code, scale_of_two, positive, 256, torch.float32)

        return update

    def with_8_bits(formula: Callable[..., States]) -> Callable[..., States]:
        """Without decay: the library's kernels apply it to another optimizer than the requested one."""

        def update(g: Tensor, p: Tensor, first: Tensor, second: Tensor) -> States:
            p, first, second = formula(g, p, nearest(first, dynamic, 256), nearest(second, positive, 256), 0.0)
            return p, nearest(first, dynamic, 256), nearest(second, positive, 256)

        return update

    yield Row(
        "quantize_blockwise",
        through_8_bits,
        lambda x: nearest(x, dynamic, 256),
        lambda: (normal(16, 256),),
        types=SINGLE,
    )
    for kind in ("nf4", "fp4"):
        table = get_4bit_type(kind, device="cpu")
        yield Row(
            f"quantize_4bit {kind}",
            lambda x, k=kind: through_4_bits(x, k),
            lambda x, t=table: nearest(x, t, 64),
            lambda: (normal(16, 256),),
            types=SINGLE,
        )
    yield Row(
        "gemv_4bit",
        product,
        lambda x, w: x @ nearest(w, get_4bit_type("nf4", device="cpu"), 64).T,
        lambda: (normal(1, 128), normal(48, 128)),
        types=SINGLE,
    )
    for optimizer in OPTIMIZERS:
        yield Row(
            f"optimizer_update_32bit {optimizer.__name__}",
            optimized(optimizer.__name__),
            optimizer,
            lambda: (normal(3000), normal(3000), torch.rand(3000), torch.rand(3000)),
        )
        yield Row(
            f"optimizer_update_8bit_blockwise {optimizer.__name__}",
            optimized_in_8_bits(optimizer.__name__),
            with_8_bits(optimizer),
            lambda: (normal(3000), normal(3000), torch.rand(3000), torch.rand(3000)),
        )

"""flash-linear-attention: attentions that are recurrences, forward and backward, against the library's plain loops."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from conformance.libraries.rows import SINGLE, Row, Tensor, integers, normal

TIME, HEADS, SIZE = 70, 2, 32
"""The length of a sequence; no block size divides it."""

SCALE = SIZE**-0.5
SIXTEEN = ("float16", "bfloat16")


def heads(*last: int) -> Tensor:
    return normal(1, TIME, HEADS, *last)


def qkv() -> tuple[Tensor, Tensor, Tensor]:
    return heads(SIZE), heads(SIZE), heads(SIZE)


def unit(x: Tensor) -> Tensor:
    return F.normalize(x, dim=-1)


def decay(x: Tensor) -> Tensor:
    """Logarithms of the factors by which a state decays."""
    return F.logsigmoid(x)


def first(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """The outputs, without the last state."""

    def call(*arguments: Any) -> Any:
        result = function(*arguments, **options)
        return result[0] if isinstance(result, tuple) else result

    return call


def moved(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Wraps a reference with the dimension of heads before that of time."""

    def call(*arguments: Tensor) -> Tensor:
        result = function(*(argument.transpose(1, 2) for argument in arguments), **options)
        return (result[0] if isinstance(result, tuple) else result).transpose(1, 2)

    return call


def prepared(function: Callable[..., Any], *prepare: Callable[[Tensor], Tensor] | None) -> Callable[..., Any]:
    """Wraps the function to prepare each argument first; gradients pass through the preparation as well."""

    def call(*arguments: Tensor) -> Any:
        return function(*(change(x) if change else x for change, x in zip(prepare, arguments, strict=True)))

    return call


def rows() -> Iterator[Row]:
    from fla.modules.activations import swish
    from fla.modules.fused_cross_entropy import FusedCrossEntropyLoss
    from fla.modules.l2norm import l2_norm
    from fla.modules.layernorm import layer_norm, rms_norm
    from fla.modules.rotary import rotary_embedding
    from fla.modules.token_shift import token_shift
    from fla.ops import (
        attn,
        based,
        comba,
        delta_rule,
        forgetting_attn,
        gated_delta_rule,
        gla,
        gsa,
        hgrn,
        kda,
        linear_attn,
        retention,
        simple_gla,
        stickbreaking_attn,
    )
    from fla.ops.attn.naive import naive_parallel_attn
    from fla.ops.based.naive import naive_parallel_based
    from fla.ops.comba.naive import naive_chunk_comba
    from fla.ops.delta_rule.naive import delta_rule_recurrence
    from fla.ops.forgetting_attn.naive import naive_forgetting_attn
    from fla.ops.gated_delta_rule.naive import naive_recurrent_gated_delta_rule
    from fla.ops.gla.naive import naive_recurrent_gla
    from fla.ops.gsa.naive import naive_recurrent_gsa
    from fla.ops.hgrn.naive import naive_recurrent_hgrn
    from fla.ops.kda.naive import naive_recurrent_kda
    from fla.ops.linear_attn.naive import naive_recurrent_linear_attn
    from fla.ops.retention.naive import naive_retention
    from fla.ops.simple_gla.naive import naive_recurrent_simple_gla
    from fla.ops.stickbreaking_attn.naive import naive_stickbreaking_attn
    from fla.ops.utils import chunk_global_cumsum, chunk_local_cumsum, mean_pooling

    def row(name: str, library: Any, reference: Any, inputs: Any, **options: Any) -> Row:
        return Row(
            name,
            library,
            reference,
            inputs,
            gradients=True,
            **{"scale": 10.0, "types": ("float32", "bfloat16"), **options},
        )

    for function in (gla.chunk_gla, gla.fused_recurrent_gla):
        yield row(
            function.__name__,
            prepared(first(function), None, None, None, decay),
            prepared(first(naive_recurrent_gla), None, None, None, decay),
            lambda: (*qkv(), heads(SIZE)),
        )
    for function in (
        simple_gla.chunk_simple_gla,
        simple_gla.fused_chunk_simple_gla,
        simple_gla.fused_recurrent_simple_gla,
        simple_gla.parallel_simple_gla,
    ):
        yield row(
            function.__name__,
            prepared(first(function), None, None, None, decay),
            prepared(first(naive_recurrent_simple_gla), None, None, None, decay),
            lambda: (*qkv(), heads()),
        )
    for function in (retention.chunk_retention, retention.fused_recurrent_retention, retention.parallel_retention):
        yield row(function.__name__, first(function), moved(naive_retention), qkv)
    for function in (
        linear_attn.chunk_linear_attn,
        linear_attn.fused_recurrent_linear_attn,
        linear_attn.fused_chunk_linear_attn,
    ):
        # The states do not decay here: sums grow, and with them the rounding errors of 16 bits.
        halves = lambda: tuple(x / 2 for x in qkv())  # noqa: E731
        yield row(function.__name__, first(function, normalize=False), first(naive_recurrent_linear_attn), halves)
    for function, types in (
        (delta_rule.chunk_delta_rule, SIXTEEN),
        (delta_rule.fused_recurrent_delta_rule, ("float32", "bfloat16")),
    ):
        yield row(
            function.__name__,
            prepared(first(function), None, unit, None, torch.sigmoid),
            prepared(moved(delta_rule_recurrence), None, unit, None, torch.sigmoid),
            lambda: (*qkv(), heads()),
            types=types,
        )
    yield row(
        "chunk_gated_delta_rule",
        prepared(first(gated_delta_rule.chunk_gated_delta_rule), None, unit, None, decay, torch.sigmoid),
        prepared(
            lambda q, k, v, g, b: naive_recurrent_gated_delta_rule(q, k, v, b, g)[0],
            None,
            unit,
            None,
            decay,
            torch.sigmoid,
        ),
        lambda: (*qkv(), heads(), heads()),
        types=SIXTEEN,
    )
    for function, types in ((kda.chunk_kda, SIXTEEN),):
        yield row(
            function.__name__,
            prepared(first(function), unit, unit, None, decay, torch.sigmoid),
            prepared(first(naive_recurrent_kda), unit, unit, None, decay, torch.sigmoid),
            lambda: (*qkv(), heads(SIZE), heads()),
            types=types,
        )
    yield row(
        "chunk_comba",
        prepared(first(comba.chunk_comba), None, unit, None, unit, decay, torch.sigmoid),
        prepared(
            lambda q, k, v, p, g, b: naive_chunk_comba(q, k, v, p, g, b)[0],
            None,
            unit,
            None,
            unit,
            decay,
            torch.sigmoid,
        ),
        lambda: (*qkv(), heads(SIZE), heads(), heads()),
        types=SIXTEEN,
    )
    for function in (gsa.chunk_gsa, gsa.fused_recurrent_gsa):
        yield row(
            function.__name__,
            prepared(first(function), None, None, None, None, decay),
            prepared(first(naive_recurrent_gsa), None, None, None, None, decay),
            lambda: (*qkv(), heads(SIZE), heads(SIZE)),
        )
    for function in (hgrn.chunk_hgrn, hgrn.fused_recurrent_hgrn):
        yield row(
            function.__name__,
            prepared(first(function), None, decay),
            prepared(first(naive_recurrent_hgrn), None, decay),
            lambda: (normal(2, TIME, 96), normal(2, TIME, 96)),
        )
    yield row("parallel_attn", attn.parallel_attn, first(naive_parallel_attn), qkv)
    yield row(
        "parallel_attn window",
        lambda q, k, v: attn.parallel_attn(q, k, v, window_size=20),
        lambda q, k, v: first(naive_parallel_attn)(q, k, v, None, 20),
        qkv,
    )
    yield row(
        "parallel_forgetting_attn",
        prepared(forgetting_attn.parallel_forgetting_attn, None, None, None, decay),
        prepared(first(naive_forgetting_attn), None, None, None, decay),
        lambda: (*qkv(), heads()),
    )
    yield row(
        "parallel_stickbreaking_attn",
        first(stickbreaking_attn.parallel_stickbreaking_attn),
        first(naive_stickbreaking_attn),
        qkv,
    )
    yield row(
        "parallel_based",
        first(based.parallel_based),
        moved(naive_parallel_based),
        lambda: (heads(16), heads(16), heads(SIZE)),
    )
    yield row(
        "rms_norm",
        lambda x, w: rms_norm(x, w, None),
        lambda x, w: F.rms_norm(x, w.shape, w, 1e-5),
        lambda: (normal(7, 130), normal(130)),
    )
    yield row(
        "layer_norm",
        lambda x, w, b: layer_norm(x, w, b),
        lambda x, w, b: F.layer_norm(x, w.shape, w, b, 1e-5),
        lambda: (normal(7, 130), normal(130), normal(130)),
    )
    yield row(
        "l2_norm",
        l2_norm,
        lambda x: x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6),
        lambda: (normal(7, 130),),
    )
    yield row("swish", swish, F.silu, lambda: (normal(7, 130),))
    yield row(
        "cross_entropy",
        lambda x, t: FusedCrossEntropyLoss()(x, t),
        F.cross_entropy,
        lambda: (normal(33, 130), integers(0, 130, 33)),
    )
    yield row("rotary_embedding", rotary_embedding, rotated, lambda: (heads(SIZE), *angles()), types=SINGLE)
    yield row("token_shift", token_shift, lambda x: F.pad(x, (0, 0, 1, -1)) - x, lambda: (normal(2, TIME, 48),))
    yield row(
        "mean_pooling",
        lambda x: mean_pooling(x, 32),
        lambda x: torch.stack([part.mean(1) for part in x.split(32, 1)], 1),
        lambda: (heads(SIZE),),
    )
    yield Row("chunk_global_cumsum", chunk_global_cumsum, lambda x: x.cumsum(1), lambda: (heads(SIZE),), types=SINGLE)
    yield Row(
        "chunk_local_cumsum",
        lambda x: chunk_local_cumsum(x, 32),
        lambda x: torch.cat([part.cumsum(1) for part in x.split(32, 1)], 1),
        lambda: (heads(),),
        types=SINGLE,
    )


def angles() -> tuple[Tensor, Tensor]:
    angle = torch.rand(TIME, SIZE // 2) * 6
    return angle.cos(), angle.sin()


def rotated(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    left, right = x.chunk(2, -1)
    cosine, sine = cosine[None, :, None], sine[None, :, None]
    return torch.cat([left * cosine - right * sine, right * cosine + left * sine], -1)

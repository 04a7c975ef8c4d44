"""Liger: layers and losses with their gradients, against torch.nn.functional and the layers' formulas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from conformance.libraries.rows import FLOATS, SINGLE, Row, Tensor, integers, normal, uniform

EPSILON = 1e-6


def rms_norm(x: Tensor, weight: Tensor, offset: float = 0.0) -> Tensor:
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + EPSILON) * (weight + offset)


def add_rms_norm(x: Tensor, residual: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    return rms_norm(x + residual, weight), x + residual


def poly_norm(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    powers = [x**power * torch.rsqrt((x**power).square().mean(-1, keepdim=True) + EPSILON) for power in (3, 2, 1)]
    return torch.einsum("p,p...->...", weight, torch.stack(powers)) + bias


def rotate_half(x: Tensor) -> Tensor:
    left, right = x.chunk(2, -1)
    return torch.cat([-right, left], -1)


def rotary(q: Tensor, k: Tensor, cosine: Tensor, sine: Tensor) -> tuple[Tensor, Tensor]:
    cosine, sine = cosine.unsqueeze(1), sine.unsqueeze(1)
    return q * cosine + rotate_half(q) * sine, k * cosine + rotate_half(k) * sine


def angles(*shape: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines as in models, with equal halves, in 32 bits, without gradients."""
    angle = torch.rand(*shape[:-1], shape[-1] // 2) * 6
    angle = torch.cat([angle, angle], -1)
    return angle.cos(), angle.sin()


def sparsemax(x: Tensor) -> Tensor:
    ordered = x.sort(-1, descending=True).values
    count = torch.arange(1, x.shape[-1] + 1)
    support = (1 + count * ordered > ordered.cumsum(-1)).sum(-1, keepdim=True)
    threshold = (ordered.cumsum(-1).gather(-1, support - 1) - 1) / support
    return (x - threshold).clamp_min(0)


def divergence(log_q: Tensor, log_p: Tensor, beta: float = 0.5) -> Tensor:
    """The generalized Jensen-Shannon divergence of logarithms, per row."""
    q, p = log_q.exp(), log_p.exp()
    mixed = (beta * p + (1 - beta) * q).log()
    return (beta * p * (log_p - mixed) + (1 - beta) * q * (log_q - mixed)).sum() / log_q.shape[0]


def logarithms(x: Tensor) -> Tensor:
    return x.log_softmax(-1)


def attention_residual(v: Tensor, query: Tensor, norm: Tensor) -> Tensor:
    keys = rms_norm(v, norm)
    share = torch.einsum("d,nbtd->nbt", query, keys).softmax(0)
    return torch.einsum("nbt,nbtd->btd", share, v)


def token_attention(scores: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    length = scores.shape[-1]
    hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
    convolved = F.conv2d(scores.masked_fill(hidden, -torch.inf).softmax(-1), weight, bias, padding=1)
    return convolved.masked_fill(hidden, 0.0)


def neighborhood_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """A window of seven keys around each query."""
    position = torch.arange(q.shape[-2])
    is_outside = (position[:, None] - position[None]).abs() > 3
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    return scores.masked_fill(is_outside, -torch.inf).softmax(-1) @ v


def cross_entropy(options: dict[str, Any]) -> Any:
    def loss(x: Tensor, target: Tensor) -> Tensor:
        reference_options = dict(options)
        cap, square = reference_options.pop("softcap", None), reference_options.pop("lse_square_scale", 0.0)
        x = cap * torch.tanh(x / cap) if cap else x
        value = F.cross_entropy(x, target, **reference_options)
        return value + square * torch.logsumexp(x, -1).square().mean() if square else value

    return loss


def rows() -> Iterator[Row]:
    from liger_kernel.ops import LigerEmbeddingFunction
    from liger_kernel.transformers import functional as liger

    def row(
        name: str, library: Any, reference: Any, inputs: Any, types: tuple[str, ...] = FLOATS, **options: Any
    ) -> Row:
        return Row(name, library, reference, inputs, gradients=True, types=types, **options)

    yield row(
        "geglu",
        liger.liger_geglu,
        lambda a, b: F.gelu(a, approximate="tanh") * b,
        lambda: (normal(2, 5, 130), normal(2, 5, 130)),
    )
    yield row("swiglu", liger.liger_swiglu, lambda a, b: F.silu(a) * b, lambda: (normal(2, 5, 130), normal(2, 5, 130)))
    yield row("relu_squared", liger.liger_relu_squared, lambda x: x.relu().square(), lambda: (normal(7, 130),))
    yield row("softmax", liger.liger_softmax, lambda x: x.softmax(-1), lambda: (normal(7, 130),))
    yield row("sparsemax", liger.liger_sparsemax, sparsemax, lambda: (normal(7, 130),))
    yield row(
        "layer_norm",
        lambda x, w, b: liger.liger_layer_norm(x, w, b, EPSILON),
        lambda x, w, b: F.layer_norm(x, w.shape, w, b, EPSILON),
        lambda: (normal(7, 130), normal(130), normal(130)),
    )
    for offset, mode in ((0.0, "llama"), (1.0, "gemma"), (0.0, "none")):
        yield row(
            f"rms_norm {mode}",
            lambda x, w, o=offset, m=mode: liger.liger_rms_norm(x, w, EPSILON, o, m),
            lambda x, w, o=offset: rms_norm(x, w, o),
            lambda: (normal(7, 130), normal(130)),
            scale=2.0,
        )
    yield row(
        "fused_add_rms_norm",
        lambda x, r, w: liger.liger_fused_add_rms_norm(x, r, w, EPSILON),
        add_rms_norm,
        lambda: (normal(7, 130), normal(7, 130), normal(130)),
        scale=2.0,
    )
    yield row(
        "modulated_rms_norm",
        lambda x, w, s, t: liger.liger_modulated_rms_norm(x, w, s, t),
        lambda x, w, s, t: rms_norm(x, w) * (1 + s.unsqueeze(1)) + t.unsqueeze(1),
        lambda: (normal(2, 5, 130), normal(130), normal(2, 130), normal(2, 130)),
        scale=2.0,
    )
    yield row(
        "group_norm",
        lambda x, w, b: liger.liger_group_norm(x, w, b, 6, 3, EPSILON),
        lambda x, w, b: F.group_norm(x, 3, w, b, EPSILON),
        lambda: (normal(2, 6, 30), normal(6), normal(6)),
    )
    yield row("poly_norm", liger.liger_poly_norm, poly_norm, lambda: (normal(7, 130), normal(3), normal()), scale=2.0)
    yield row(
        "dyt",
        liger.liger_dyt,
        lambda x, a, g, b: g * torch.tanh(a * x) + b,
        lambda: (normal(7, 130), uniform(1), normal(130), normal(130)),
    )
    yield row("rope", liger.liger_rope, rotary, lambda: (normal(2, 4, 9, 32), normal(2, 2, 9, 32), *angles(1, 9, 32)))
    yield row(
        "embedding",
        lambda e, i: LigerEmbeddingFunction.apply(e, i),
        lambda e, i: F.embedding(i, e),
        lambda: (normal(33, 48), integers(0, 33, 5, 9)),
    )
    yield row(
        "attn_res",
        liger.liger_attn_res,
        attention_residual,
        lambda: (normal(4, 2, 5, 64), normal(64) / 8, normal(64)),
        scale=2.0,
    )
    yield row(
        "multi_token_attention",
        lambda s, w, b: liger.liger_multi_token_attention(s, w, b, padding=1),
        token_attention,
        lambda: (normal(2, 3, 20, 20), normal(3, 3, 3, 3), normal(3)),
    )
    yield row(
        "fused_neighborhood_attention",
        liger.liger_fused_neighborhood_attention,
        neighborhood_attention,
        lambda: (normal(1, 2, 40, 32), normal(1, 2, 40, 32), normal(1, 2, 40, 32)),
    )
    yield row(
        "mhc_pre",
        liger.liger_mhc_pre,
        lambda x, h: (x * h.unsqueeze(-1)).sum(-2),
        lambda: (normal(3, 4, 64), normal(3, 4)),
    )
    yield row(
        "mhc_post_res",
        liger.liger_mhc_post_res,
        lambda x, f, post, res: torch.einsum("noi,nic->noc", res, x) + post.unsqueeze(-1) * f.unsqueeze(-2),
        lambda: (normal(3, 4, 64), normal(3, 64), normal(3, 4), normal(3, 4, 4)),
    )
    for options in (
        {},
        {"reduction": "sum"},
        {"reduction": "none"},
        {"label_smoothing": 0.1},
        {"softcap": 5.0},
        {"lse_square_scale": 1e-3},
        {"ignore_index": 3},
    ):
        title = " ".join(f"{key}={value}" for key, value in options.items())
        yield row(
            f"cross_entropy {title}".strip(),
            lambda x, t, o=options: liger.liger_cross_entropy(x, t, **o),
            cross_entropy(options),
            lambda: (normal(33, 130), integers(0, 130, 33)),
        )
    yield row(
        "fused_linear_cross_entropy",
        liger.liger_fused_linear_cross_entropy,
        lambda x, w, t: F.cross_entropy(x @ w.T, t),
        lambda: (normal(33, 24), normal(130, 24), integers(0, 130, 33)),
    )
    yield row(
        "kl_div",
        lambda q, p: liger.liger_kl_div(logarithms(q), logarithms(p).exp(), reduction="batchmean"),
        lambda q, p: F.kl_div(logarithms(q), logarithms(p).exp(), reduction="batchmean"),
        lambda: (normal(33, 130), torch.randn(33, 130)),
        types=SINGLE,
    )
    yield row(
        "jsd",
        lambda q, p: liger.liger_jsd(logarithms(q), logarithms(p)),
        lambda q, p: divergence(logarithms(q), logarithms(p)),
        lambda: (normal(33, 130), torch.randn(33, 130)),
        types=SINGLE,
    )
    yield row(
        "tvd",
        lambda q, p: liger.liger_tvd(q, p, reduction="batchmean"),
        lambda q, p: (q - p).abs().sum() / 2 / q.shape[0],
        lambda: (normal(33, 130).softmax(-1), torch.randn(33, 130).softmax(-1)),
        types=SINGLE,
    )
    yield row(
        "fused_linear_jsd",
        liger.liger_fused_linear_jsd,
        lambda x, w, y, v: divergence(logarithms(x @ w.T), logarithms(y @ v.T)),
        lambda: (normal(33, 24) / 4, normal(130, 24), torch.randn(33, 24) / 4, torch.randn(130, 24)),
        types=SINGLE,
    )

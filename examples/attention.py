"""Attention, forward and backward: the structure of Triton's sixth tutorial, for sequences of any length.

Scores are never stored. Going forward a program takes a block of queries through all keys, and keeps for each query the
largest score and the sum of the exponentials; going backward it computes the probabilities again from these two, for a
block of keys and for a block of queries.
"""

# mypy: ignore-errors

from typing import Any

import torch

import blockdsl
import blockdsl.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@blockdsl.jit
def matrix(ptr, head, length, WIDTH: tl.constexpr, ROWS: tl.constexpr, DESCRIPTORS: tl.constexpr):
    """The rows of a head, for ``rows_of``."""
    ptr += head.to(tl.int64) * length * WIDTH
    if DESCRIPTORS:
        return tl.make_tensor_descriptor(ptr, [length, WIDTH], [WIDTH, 1], [ROWS, WIDTH])
    return ptr


@blockdsl.jit
def rows_of(source, start, length, WIDTH: tl.constexpr, ROWS: tl.constexpr, DESCRIPTORS: tl.constexpr):
    """A block of rows, and zeros for those past the end."""
    if DESCRIPTORS:
        return source.load([start, 0])
    rows = start + tl.arange(0, ROWS)[:, None]
    return tl.load(source + rows * WIDTH + tl.arange(0, WIDTH)[None, :], mask=rows < length, other=0.0)


@blockdsl.jit
def is_kept(queries, keys, length, CAUSAL: tl.constexpr):
    """Which scores count: of keys that there are, and that are not behind their query."""
    kept = keys < length
    if CAUSAL:
        kept &= keys <= queries
    return kept


@blockdsl.jit
def attend_to(
    acc, total, largest, q, k_rows, v_rows, start, low, high, length, scale,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
    DESCRIPTORS: tl.constexpr,
):  # fmt: skip
    """Takes a block of queries through the keys from ``low`` to ``high``."""
    queries = start + tl.arange(0, ROWS)[:, None]
    for at in range(low, high, COLUMNS):
        k = rows_of(k_rows, at, length, WIDTH, COLUMNS, DESCRIPTORS)
        scores = tl.dot(q, k.T) * scale
        if MASKED:
            keys = at + tl.arange(0, COLUMNS)[None, :]
            scores = tl.where(is_kept(queries, keys, length, CAUSAL), scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, 1))
        p = tl.exp2(scores - new[:, None])
        alpha = tl.exp2(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = rows_of(v_rows, at, length, WIDTH, COLUMNS, DESCRIPTORS)
        acc = tl.dot(p.to(v.dtype), v, acc * alpha[:, None])
        largest = new
    return acc, total, largest


@blockdsl.jit
def attend(
    q_ptr, k_ptr, v_ptr, out_ptr, lse_ptr, length, scale,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, CAUSAL: tl.constexpr, DESCRIPTORS: tl.constexpr,
):  # fmt: skip
    """A block of the result, and the logarithm of the sum of the exponentials for each of its rows, to the base 2."""
    start, head = tl.program_id(0) * ROWS, tl.program_id(1)
    k_rows = matrix(k_ptr, head, length, WIDTH, COLUMNS, DESCRIPTORS)
    v_rows = matrix(v_ptr, head, length, WIDTH, COLUMNS, DESCRIPTORS)
    q = rows_of(matrix(q_ptr, head, length, WIDTH, ROWS, DESCRIPTORS), start, length, WIDTH, ROWS, DESCRIPTORS)
    acc = tl.zeros([ROWS, WIDTH], tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    largest = tl.full([ROWS], float("-inf"), tl.float32)
    scale *= LOG2_E
    # Only the blocks on the diagonal and the last one have a mask.
    end = tl.minimum(start + ROWS, length) if CAUSAL else length
    whole = (start if CAUSAL else length) // COLUMNS * COLUMNS
    acc, total, largest = attend_to(
        acc, total, largest, q, k_rows, v_rows, start, 0, whole, length, scale,
        WIDTH, ROWS, COLUMNS, CAUSAL, False, DESCRIPTORS,
    )  # fmt: skip
    acc, total, largest = attend_to(
        acc, total, largest, q, k_rows, v_rows, start, whole, end, length, scale,
        WIDTH, ROWS, COLUMNS, CAUSAL, True, DESCRIPTORS,
    )  # fmt: skip
    rows = start + tl.arange(0, ROWS)
    tl.store(lse_ptr + head * length + rows, largest + tl.log2(total), mask=rows < length)
    out_ptr += head.to(tl.int64) * length * WIDTH
    at = rows[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    tl.store(out_ptr + at, (acc / total[:, None]).to(out_ptr.dtype.element_ty), mask=rows[:, None] < length)


@blockdsl.jit
def row_products(out_ptr, dout_ptr, delta_ptr, rows, WIDTH: tl.constexpr, BLOCK: tl.constexpr):
    """For each row the sum of the result times its gradient."""
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    at = row.to(tl.int64)[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    inside = row[:, None] < rows
    out = tl.load(out_ptr + at, mask=inside, other=0.0).to(tl.float32)
    dout = tl.load(dout_ptr + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(delta_ptr + row, tl.sum(out * dout, 1), mask=row < rows)


@blockdsl.jit
def add_to_keys(
    dk, dv, k, v, q_rows, dout_rows, lse_ptr, delta_ptr, start, low, high, length, scale,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
    DESCRIPTORS: tl.constexpr,
):  # fmt: skip
    """Adds to the gradients of a block of keys what comes from the queries from ``low`` to ``high``."""
    keys = start + tl.arange(0, COLUMNS)[:, None]
    for at in range(low, high, ROWS):
        queries = at + tl.arange(0, ROWS)
        inside = queries < length
        q = rows_of(q_rows, at, length, WIDTH, ROWS, DESCRIPTORS)
        lse = tl.load(lse_ptr + queries, mask=inside, other=0.0)
        p = tl.exp2(tl.dot(k, q.T) * scale - lse[None, :])
        if MASKED:
            p = tl.where(is_kept(queries[None, :], keys, length, CAUSAL), p, 0.0)
        dout = rows_of(dout_rows, at, length, WIDTH, ROWS, DESCRIPTORS)
        dv += tl.dot(p.to(dout.dtype), dout)
        delta = tl.load(delta_ptr + queries, mask=inside, other=0.0)
        dp = tl.dot(v, dout.T)
        ds = p * (dp - delta[None, :])
        dk += tl.dot(ds.to(q.dtype), q)
    return dk, dv


@blockdsl.jit
def add_to_queries(
    dq, q, dout, k_rows, v_rows, lse, delta, start, low, high, length, scale,
    WIDTH: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
    DESCRIPTORS: tl.constexpr,
):  # fmt: skip
    """Adds to the gradient of a block of queries what comes from the keys from ``low`` to ``high``."""
    queries = start + tl.arange(0, ROWS)[:, None]
    for at in range(low, high, COLUMNS):
        k = rows_of(k_rows, at, length, WIDTH, COLUMNS, DESCRIPTORS)
        v = rows_of(v_rows, at, length, WIDTH, COLUMNS, DESCRIPTORS)
        p = tl.exp2(tl.dot(q, k.T) * scale - lse[:, None])
        if MASKED:
            keys = at + tl.arange(0, COLUMNS)[None, :]
            p = tl.where(is_kept(queries, keys, length, CAUSAL), p, 0.0)
        dp = tl.dot(dout, v.T)
        ds = p * (dp - delta[:, None])
        dq += tl.dot(ds.to(k.dtype), k)
    return dq


@blockdsl.jit
def attend_backward(
    q_ptr, k_ptr, v_ptr, dout_ptr, lse_ptr, delta_ptr, dq_ptr, dk_ptr, dv_ptr, length, scale,
    WIDTH: tl.constexpr, FEW: tl.constexpr, MANY: tl.constexpr, CAUSAL: tl.constexpr, DESCRIPTORS: tl.constexpr,
):  # fmt: skip
    """The gradients of a block of keys and values, and then that of the block of queries in the same place.

    Each takes ``MANY`` rows of its own through ``FEW`` rows of the others at a time.
    """
    start, head = tl.program_id(0) * MANY, tl.program_id(1)
    lse_ptr += head * length
    delta_ptr += head * length
    rows = start + tl.arange(0, MANY)
    at = head.to(tl.int64) * length * WIDTH + rows[:, None] * WIDTH + tl.arange(0, WIDTH)[None, :]
    q_block = rows_of(matrix(q_ptr, head, length, WIDTH, MANY, DESCRIPTORS), start, length, WIDTH, MANY, DESCRIPTORS)
    k_block = rows_of(matrix(k_ptr, head, length, WIDTH, MANY, DESCRIPTORS), start, length, WIDTH, MANY, DESCRIPTORS)
    v_block = rows_of(matrix(v_ptr, head, length, WIDTH, MANY, DESCRIPTORS), start, length, WIDTH, MANY, DESCRIPTORS)
    dout_block = rows_of(
        matrix(dout_ptr, head, length, WIDTH, MANY, DESCRIPTORS), start, length, WIDTH, MANY, DESCRIPTORS
    )
    q_rows = matrix(q_ptr, head, length, WIDTH, FEW, DESCRIPTORS)
    k_rows = matrix(k_ptr, head, length, WIDTH, FEW, DESCRIPTORS)
    v_rows = matrix(v_ptr, head, length, WIDTH, FEW, DESCRIPTORS)
    dout_rows = matrix(dout_ptr, head, length, WIDTH, FEW, DESCRIPTORS)
    to_base_2 = scale * LOG2_E

    dk, dv = tl.zeros([MANY, WIDTH], tl.float32), tl.zeros([MANY, WIDTH], tl.float32)
    # Queries before the block's keys see none of them. Those beside the block see some, and those behind it all.
    low = start if CAUSAL else 0
    behind = tl.minimum(start + MANY, length) if CAUSAL else 0
    if CAUSAL:
        dk, dv = add_to_keys(
            dk, dv, k_block, v_block, q_rows, dout_rows, lse_ptr, delta_ptr, start, low, behind, length, to_base_2,
            WIDTH, FEW, MANY, CAUSAL, True, DESCRIPTORS,
        )  # fmt: skip
    dk, dv = add_to_keys(
        dk, dv, k_block, v_block, q_rows, dout_rows, lse_ptr, delta_ptr, start, behind, length, length, to_base_2,
        WIDTH, FEW, MANY, CAUSAL, False, DESCRIPTORS,
    )  # fmt: skip
    inside = rows[:, None] < length
    tl.store(dk_ptr + at, (dk * scale).to(dk_ptr.dtype.element_ty), mask=inside)
    tl.store(dv_ptr + at, dv.to(dv_ptr.dtype.element_ty), mask=inside)

    lse = tl.load(lse_ptr + rows, mask=rows < length, other=0.0)
    delta = tl.load(delta_ptr + rows, mask=rows < length, other=0.0)
    dq = tl.zeros([MANY, WIDTH], tl.float32)
    whole = (start if CAUSAL else length) // FEW * FEW
    end = tl.minimum(start + MANY, length) if CAUSAL else length
    dq = add_to_queries(
        dq, q_block, dout_block, k_rows, v_rows, lse, delta, start, 0, whole, length, to_base_2,
        WIDTH, MANY, FEW, CAUSAL, False, DESCRIPTORS,
    )  # fmt: skip
    dq = add_to_queries(
        dq, q_block, dout_block, k_rows, v_rows, lse, delta, start, whole, end, length, to_base_2,
        WIDTH, MANY, FEW, CAUSAL, True, DESCRIPTORS,
    )  # fmt: skip
    tl.store(dq_ptr + at, (dq * scale).to(dq_ptr.dtype.element_ty), mask=inside)


def forward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    lse: torch.Tensor,
    *,
    causal: bool = False,
    blocks: tuple[int, int] = (64, 64),
    descriptors: bool = False,
) -> None:
    """Computes the attention of heads x length x width, contiguous, into tensors that exist."""
    heads, length, width = q.shape
    rows, columns = blocks
    attend[(blockdsl.cdiv(length, rows), heads)](
        q, k, v, out, lse, length, width**-0.5,
        WIDTH=width, ROWS=rows, COLUMNS=columns, CAUSAL=causal, DESCRIPTORS=descriptors,
    )  # fmt: skip


def backward(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    out: torch.Tensor,
    lse: torch.Tensor,
    dout: torch.Tensor,
    gradients: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    *,
    causal: bool = False,
    blocks: tuple[int, int] | None = None,
    descriptors: bool = False,
) -> None:
    """Computes the gradients of queries, keys and values into tensors that exist."""
    heads, length, width = q.shape
    # Rows of more than 256 bytes in larger blocks exceed the shared memory of a GPU.
    few, many = blocks or (32, 128 if width * q.element_size() <= 256 else 64)
    delta = torch.empty_like(lse)
    row_products[(blockdsl.cdiv(heads * length, many),)](out, dout, delta, heads * length, WIDTH=width, BLOCK=many)
    attend_backward[(blockdsl.cdiv(length, many), heads)](
        q, k, v, dout, lse, delta, *gradients, length, width**-0.5,
        WIDTH=width, FEW=few, MANY=many, CAUSAL=causal, DESCRIPTORS=descriptors,
    )  # fmt: skip


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, causal: bool) -> torch.Tensor:
        q, k, v = (x.contiguous() for x in (q, k, v))
        out, lse = torch.empty_like(q), q.new_empty(q.shape[:2], dtype=torch.float32)
        forward(q, k, v, out, lse, causal=causal)
        ctx.save_for_backward(q, k, v, out, lse)
        ctx.causal = causal
        return out

    @staticmethod
    def backward(ctx: Any, dout: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        q, k, v, out, lse = ctx.saved_tensors
        gradients = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        backward(q, k, v, out, lse, dout.contiguous(), gradients, causal=ctx.causal)
        return *gradients, None


def attention(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, *, causal: bool = False) -> torch.Tensor:
    """The attention of heads x length x width, as torch computes it, with gradients."""
    result: torch.Tensor = Attention.apply(q, k, v, causal)
    return result


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    q, k, v, dout = torch.randn(4, 8, 1000, 64, device=device).unbind()
    parameters = [x.requires_grad_() for x in (q, k, v)]
    wide = [x.detach().double().requires_grad_() for x in parameters]
    result = attention(*parameters, causal=True)
    expected = torch.nn.functional.scaled_dot_product_attention(*wide, is_causal=True)
    pairs = [(result, expected)]
    found = torch.autograd.grad(result, parameters, dout)
    pairs += zip(found, torch.autograd.grad(expected, wide, dout.double()), strict=True)
    error = max((ours.double() - theirs).abs().max() for ours, theirs in pairs)
    print(f"attention and its gradients, 8 x 1000 x 64: largest error {error:.1e}")


if __name__ == "__main__":
    main()

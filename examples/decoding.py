"""Attention of one query a head to all keys before it, as in a step of a language model: the keys are cut into pieces.

A program takes one piece of the keys of one head, with all the queries that share this head, and a second kernel adds
up the pieces. Keys and values are read once, and reading them is what takes time.
"""

# mypy: ignore-errors

import torch

import blockdsl
import blockdsl.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@blockdsl.jit
def attend_to_piece(
    q_ptr, k_ptr, v_ptr, acc_ptr, lse_ptr, lengths_ptr, scale, piece, stride_kb, stride_kn, stride_kh,
    WIDTH: tl.constexpr, GROUP: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """One piece of the keys of one head, for the ``GROUP`` queries that share it, among ``ROWS`` in a block.

    A single query is multiplied without ``dot``, whose blocks have 16 rows at least.
    """
    batch, head, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    parts = tl.num_programs(2)
    length = tl.load(lengths_ptr + batch)
    along = tl.arange(0, WIDTH)
    row = tl.arange(0, ROWS)
    query = (batch * tl.num_programs(1) + head) * GROUP + row
    inside = row[:, None] < GROUP
    q = tl.load(q_ptr + query[:, None] * WIDTH + along[None, :], mask=inside, other=0.0)
    start = batch.to(tl.int64) * stride_kb + head * stride_kh
    k_ptr += start
    v_ptr += start
    acc = tl.zeros([ROWS, WIDTH], tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    largest = tl.full([ROWS], float("-inf"), tl.float32)
    low = part * piece
    high = tl.minimum(low + piece, length)
    scale *= LOG2_E
    for at in range(low, high, COLUMNS):
        columns = at + tl.arange(0, COLUMNS)
        exists = columns < high
        places = columns[:, None] * stride_kn + along[None, :]
        k = tl.load(k_ptr + places, mask=exists[:, None], other=0.0)
        scores = tl.sum(q * k.to(tl.float32), 1)[None, :] if ROWS == 1 else tl.dot(q, k.T)
        scores = tl.where(exists[None, :], scores * scale, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, 1))
        p = tl.exp2(scores - new[:, None])
        alpha = tl.exp2(largest - new)
        total = total * alpha + tl.sum(p, 1)
        v = tl.load(v_ptr + places, mask=exists[:, None], other=0.0)
        acc *= alpha[:, None]
        if ROWS == 1:
            acc += tl.sum(p.T * v.to(tl.float32), 0)[None, :]
        else:
            acc += tl.dot(p.to(v.dtype), v)
        largest = new
    if high > low:
        place = query * parts + part
        tl.store(acc_ptr + place[:, None] * WIDTH + along[None, :], acc / total[:, None], mask=inside)
        tl.store(lse_ptr + place, largest + tl.log2(total), mask=row < GROUP)


@blockdsl.jit
def add_pieces(
    acc_ptr, lse_ptr, out_ptr, lengths_ptr, heads, piece, parts,
    WIDTH: tl.constexpr, PARTS: tl.constexpr,
):  # fmt: skip
    """The result of one query: the mean of its pieces' results, each as heavy as the sum of its exponentials."""
    query = tl.program_id(0)
    length = tl.load(lengths_ptr + query // heads)
    part, along = tl.arange(0, PARTS), tl.arange(0, WIDTH)
    place = query * parts + part
    exists = part < tl.cdiv(length, piece)
    lse = tl.load(lse_ptr + place, mask=exists, other=float("-inf"))
    weight = tl.exp2(lse - tl.max(lse, 0))
    acc = tl.load(acc_ptr + place[:, None] * WIDTH + along[None, :], mask=exists[:, None], other=0.0)
    out = tl.sum(acc * weight[:, None], 0) / tl.sum(weight, 0)
    tl.store(out_ptr + query * WIDTH + along, out.to(out_ptr.dtype.element_ty))


def decode(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    lengths: torch.Tensor,
    out: torch.Tensor | None = None,
    parts: int = 8,
) -> torch.Tensor:
    """The attention of queries, batch x heads x width, to as many keys as ``lengths`` says for each of the batch.

    Keys and values are batch x keys x heads x width, with the same strides; several heads of queries may share one.
    """
    batch, heads, width = q.shape
    groups = k.shape[2]
    group = heads // groups
    columns = 32 if group == 1 else 64
    out = torch.empty_like(q) if out is None else out
    piece = blockdsl.cdiv(blockdsl.cdiv(k.shape[1], parts), columns) * columns
    acc, lse = (q.new_empty(batch, heads, parts, *each, dtype=torch.float32) for each in ((width,), ()))
    attend_to_piece[(batch, groups, parts)](
        q, k, v, acc, lse, lengths, width**-0.5, piece, *k.stride()[:3],
        WIDTH=width, GROUP=group, ROWS=1 if group == 1 else max(16, blockdsl.next_power_of_2(group)), COLUMNS=columns,
    )  # fmt: skip
    add_pieces[(batch * heads,)](
        acc, lse, out, lengths, heads, piece, parts, WIDTH=width, PARTS=blockdsl.next_power_of_2(parts)
    )
    return out


def main() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    q, lengths = torch.randn(3, 8, 64, device=device), torch.tensor([1, 777, 1000], device=device)
    k, v = torch.randn(2, 3, 1000, 2, 64, device=device).unbind()
    result = decode(q, k, v, lengths).double()
    error = 0.0
    for at, length in enumerate(lengths.tolist()):
        wide = [x[at : at + 1, :length].double().transpose(1, 2) for x in (k, v)]
        expected = torch.nn.functional.scaled_dot_product_attention(
            q[at, None, :, None].double(), *wide, enable_gqa=True
        )
        error = max(error, float((result[at] - expected[0, :, 0]).abs().max()))
    print(f"decoding, 8 heads of 2 groups: largest error {error:.1e}")


if __name__ == "__main__":
    main()

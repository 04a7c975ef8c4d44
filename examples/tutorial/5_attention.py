"""
5. Attention
============

Attention is the central operation of transformers: ``softmax(q @ k.T) @ v``. For a sequence
of n tokens the matrix of scores ``q @ k.T`` has n times n elements, far more than ``q``,
``k`` and ``v``. This chapter computes attention without ever storing that matrix. It joins
the online softmax of chapter 3 and the matrix product of chapter 4.
"""

import math

import matplotlib.pyplot as plt
import torch

import blockdsl
import blockdsl.language as tl

device = "cuda" if torch.cuda.is_available() else "cpu"

# %%
# The idea
# --------
#
# One program takes a block of queries and keeps three things for each of them: the largest
# score so far, the sum of the exponentials so far, and the weighted sum of values so far.
# It walks over the keys and values a block at a time. When a block brings a larger score,
# both sums are scaled down, as in chapter 3.
#
# In a language model a token may only look at earlier tokens. Scores of later keys are
# minus infinity, and blocks of keys that are later than all queries of the program are left
# out. So the loop ends at the diagonal:

tokens, head, ROWS, COLUMNS = 1000, 64, 64, 64


def draw_blocks(count: int) -> None:
    _, axes = plt.subplots(figsize=(4, 4))
    for query in range(count):
        for key in range(count):
            kind = "masked" if key == query else "computed" if key < query else "left out"
            color = {"computed": "C0", "masked": "C1", "left out": "white"}[kind]
            axes.add_patch(
                plt.Rectangle((key, query), 1, 1, facecolor=color, edgecolor="gray")
            )
    for color, label in (
        ("C0", "computed"),
        ("C1", "computed and masked"),
        ("white", "left out"),
    ):
        axes.scatter([], [], marker="s", s=80, color=color, edgecolor="gray", label=label)
    axes.set(xlim=(0, count), ylim=(count, 0), aspect="equal", xticks=[], yticks=[])
    axes.set(xlabel="blocks of keys", ylabel="blocks of queries: a program each")
    axes.legend(loc="upper right")
    plt.tight_layout()


draw_blocks(8)

# %%
# The kernel
# ----------


@blockdsl.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, tokens, scale,
    HEAD: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    first = tl.program_id(0) * ROWS
    # The second number of a program is that of a head, whose tokens are contiguous.
    start_of_head = tl.program_id(1) * tokens * HEAD
    d = tl.arange(0, HEAD)
    i = first + tl.arange(0, ROWS)
    rows = start_of_head + i[:, None] * HEAD + d[None, :]
    q = tl.load(q_ptr + rows, mask=(i < tokens)[:, None], other=0)

    largest = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    result = tl.zeros((ROWS, HEAD), tl.float32)
    end = min(first + ROWS, tokens) if CAUSAL else tokens
    for start in range(0, end, COLUMNS):
        j = start + tl.arange(0, COLUMNS)
        columns = start_of_head + j[:, None] * HEAD + d[None, :]
        k = tl.load(k_ptr + columns, mask=(j < tokens)[:, None], other=0)
        v = tl.load(v_ptr + columns, mask=(j < tokens)[:, None], other=0)
        visible = (j < tokens)[None, :]
        if CAUSAL:
            visible = visible & (j[None, :] <= i[:, None])
        scores = tl.where(visible, tl.dot(q, tl.trans(k)) * scale, -float("inf"))

        larger = tl.maximum(largest, tl.max(scores, axis=1))
        weights = tl.exp(scores - larger[:, None])
        shrink = tl.exp(largest - larger)
        total = total * shrink + tl.sum(weights, axis=1)
        result = tl.dot(weights.to(v.dtype), v, result * shrink[:, None])
        largest = larger
    result = result / total[:, None]
    tl.store(out_ptr + rows, result.to(q.dtype), mask=(i < tokens)[:, None])


def attention(q, k, v, causal=True):
    heads, tokens, head = q.shape
    out = torch.empty_like(q)
    grid = (blockdsl.cdiv(tokens, ROWS), heads)
    attention_kernel[grid](
        q, k, v, out, tokens, 1 / math.sqrt(head),
        HEAD=head, ROWS=ROWS, COLUMNS=COLUMNS, CAUSAL=causal,
    )  # fmt: skip
    return out


# %%
# - ``tl.trans(k)`` transposes a block. Nothing is moved where the product can read it the
#   other way round.
# - ``CAUSAL`` is a constant, so ``if CAUSAL`` is decided while the kernel is compiled, and
#   the branch that is not taken leaves no code.
# - ``result * shrink[:, None]`` is the third argument of ``tl.dot``, to which the product
#   is added.

q, k, v = (torch.randn(4, tokens, head, device=device) for _ in range(3))
tolerance = 1e-4 if device == "cpu" else 1e-2  # A GPU multiplies float32 with fewer bits.
for causal in (False, True):
    wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
    assert torch.allclose(attention(q, k, v, causal), wanted, atol=tolerance)

# %%
# Memory and time
# ---------------
#
# Attention in separate steps writes the scores to memory, reads them for the softmax,
# writes the weights, and reads them for the second product. The kernel writes only its
# result. For one head of 64 numbers the matrix of scores is larger than ``q``, ``k``, ``v``
# and the result together beyond 256 tokens:


def in_steps(q, k, v):
    later = torch.ones(q.shape[1], q.shape[1], dtype=torch.bool, device=device).triu(1)
    scores = (q @ k.mT / math.sqrt(q.shape[2])).masked_fill(later, -torch.inf)
    return torch.softmax(scores, 2) @ v


def milliseconds(way, length: int) -> float:
    inputs = [torch.randn(4, length, head, device=device) for _ in range(3)]
    return blockdsl.testing.do_bench(
        lambda: way(*inputs), warmup=2, rep=20, return_mode="min"
    )


lengths = [128, 256, 512, 1024, 2048]
ways = {"in steps": in_steps, "one kernel": attention}

_, (left, right) = plt.subplots(1, 2, figsize=(8, 3))
for name, way in ways.items():
    left.plot(lengths, [milliseconds(way, length) for length in lengths], "o-", label=name)
scores = [4 * length**2 / 1024 for length in lengths]
operands = [4 * 4 * length * head / 1024 for length in lengths]
right.plot(lengths, scores, "o-", label="scores")
right.plot(lengths, operands, "o-", label="q, k, v, result")
for axes, unit in ((left, "milliseconds"), (right, "KiB of a head")):
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [str(length) for length in lengths])
    axes.set(yscale="log", xlabel="tokens", ylabel=unit)
    axes.legend()
plt.tight_layout()

# %%
# On a CPU
# --------
#
# ``scores`` and ``weights`` are buffers of 16 KiB each, which stay in the first-level or
# second-level cache of the core. ``result`` is updated in place. Programs near the end of
# the sequence take longer, because they see more keys. A core that has finished its share
# of the grid takes programs from the shares of others.
#
# On a GPU
# --------
#
# The blocks of a program are spread over its threads, and the second product reads
# ``weights`` from registers. While the matrix units compute, the next blocks of ``k`` and
# ``v`` are on their way into shared memory. In practice operands are float16 or bfloat16,
# for which the units are several times as fast: the kernel takes such tensors as it is.

q, k, v = (torch.randn(2, 200, head, device=device).to(torch.bfloat16) for _ in range(3))
wanted = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
assert torch.allclose(attention(q, k, v), wanted, atol=2e-2)

# %%
# Exercises
# ---------
#
# - Let several heads of queries share one head of keys and values.
# - Write the logarithm of each sum to memory, which a backward pass needs: ``largest +
#   tl.log(total)``.

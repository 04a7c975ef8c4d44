"""
3. Reductions: softmax and layer norm
=====================================

A reduction combines the elements of a block: a sum, a maximum, a mean. This chapter
computes the softmax of the rows of a matrix, first of rows that fit into a block, then of
rows of any length, and a layer norm with its gradient.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

import blockdsl
import blockdsl.language as tl

device = "cuda" if torch.cuda.is_available() else "cpu"

# %%
# Softmax of a short row
# ----------------------
#
# The softmax of a row is ``exp(x) / sum(exp(x))``. The maximum of the row is subtracted
# before, which changes nothing in exact arithmetic and keeps ``exp`` from overflowing. In
# NumPy that is a maximum, a difference, an exponential, a sum and a quotient: five passes
# over memory. Here one program takes one row, and loads it once.
#
# ``tl.max`` and ``tl.sum`` reduce a block along an axis. Elements outside of the mask must
# not change the result, so ``other`` is the value that does not: minus infinity for a
# maximum, whose exponential is zero for the sum.


@blockdsl.jit
def softmax_rows(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * columns + j, mask=j < columns, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    result = numerator / tl.sum(numerator, axis=0)
    tl.store(out_ptr + row * columns + j, result, mask=j < columns)


def softmax(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    BLOCK = blockdsl.next_power_of_2(x.shape[1])
    softmax_rows[(x.shape[0],)](x, out, x.shape[1], BLOCK=BLOCK)
    return out


x = torch.randn(500, 781, device=device)
assert torch.allclose(softmax(x), torch.softmax(x, 1), atol=1e-6)

# %%
# Softmax of a long row
# ---------------------
#
# A row of a million columns is no block: blocks have to fit into registers, or at least
# into the nearest cache. Then a loop takes a block at a time. The maximum of the whole row
# is not known before its end, so the loop keeps the largest value so far, and a sum
# relative to it. Where a block has a larger value, the sum so far is scaled down:
#
# .. code-block:: text
#
#     larger = max(largest, max(block))
#     total  = total * exp(largest - larger) + sum(exp(block - larger))
#
# This is called online softmax, and it is also the core of attention in chapter 5. The
# picture shows a row in blocks of 64, and the maximum that the loop knows after each:


def draw_running_maximum() -> None:
    rng = np.random.default_rng(3)
    scores = rng.standard_normal(512) + np.linspace(0, 1.5, 512)
    blocks = scores.reshape(8, 64)
    largest = np.maximum.accumulate(blocks.max(1))
    _, axes = plt.subplots(figsize=(8, 2.6))
    axes.plot(scores, ".", color="gray", markersize=3)
    axes.step(np.arange(0, 513, 64), [*largest, largest[-1]], where="post", color="C3")
    for edge in range(0, 513, 64):
        axes.axvline(edge, color="lightgray", linewidth=0.8)
    axes.set(xlim=(0, 512), xlabel="column", ylabel="value", title="largest value so far")
    plt.tight_layout()


draw_running_maximum()

# %%
# The second loop needs the maximum and the sum of the whole row, and loads the row again:


@blockdsl.jit
def softmax_long_rows(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x_ptr += row * columns
    out_ptr += row * columns
    largest = -float("inf")
    total = 0.0
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + j, mask=j < columns, other=-float("inf"))
        larger = tl.maximum(largest, tl.max(x, axis=0))
        total = total * tl.exp(largest - larger) + tl.sum(tl.exp(x - larger), axis=0)
        largest = larger
    for start in range(0, columns, BLOCK):
        j = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + j, mask=j < columns)
        tl.store(out_ptr + j, tl.exp(x - largest) / total, mask=j < columns)


x = torch.randn(4, 100_000, device=device)
out = torch.empty_like(x)
softmax_long_rows[(4,)](x, out, x.shape[1], BLOCK=1024)
assert torch.allclose(out, torch.softmax(x, 1), atol=1e-6)

# %%
# A ``for`` loop over ``range`` stays a loop in the compiled code. A value that the loop
# changes, such as ``total``, is carried from one iteration to the next and keeps its type
# and shape.
#
# Layer norm
# ----------
#
# A layer norm subtracts the mean of each row, divides by its standard deviation, and then
# scales and shifts each column. The mean and the reciprocal of the deviation are stored,
# because the gradient needs them.


@blockdsl.jit
def layer_norm_rows(
    x_ptr, weight_ptr, bias_ptr, out_ptr, mean_ptr, rstd_ptr, columns, eps,
    BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inside = j < columns
    x = tl.load(x_ptr + row * columns + j, mask=inside, other=0)
    mean = tl.sum(x, axis=0) / columns
    centered = tl.where(inside, x - mean, 0)
    rstd = 1 / tl.sqrt(tl.sum(centered * centered, axis=0) / columns + eps)
    weight = tl.load(weight_ptr + j, mask=inside)
    bias = tl.load(bias_ptr + j, mask=inside)
    tl.store(out_ptr + row * columns + j, centered * rstd * weight + bias, mask=inside)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)


# %%
# ``tl.where`` sets the elements outside of the row back to zero: there ``x - mean`` is
# ``-mean``, which would be part of the variance.
#
# Its gradient
# ------------
#
# With ``h = (x - mean) * rstd``, the gradient of a row of ``x`` needs two means of that
# row. The gradients of ``weight`` and ``bias`` are sums over all rows:
#
# .. code-block:: text
#
#     dx      = rstd * (dy * weight - mean(dy * weight) - h * mean(dy * weight * h))
#     dweight = sum over rows of dy * h
#     dbias   = sum over rows of dy
#
# No program can wait for another, so sums over rows of different programs take two
# launches. In the first, each program takes every ``programs``-th row and adds up what
# these rows contribute. It stores its own sums, a row of ``sums``. The second launch adds
# up the rows of ``sums``: each of its programs takes some columns, and loads blocks of two
# dimensions.


@blockdsl.jit
def layer_norm_gradient(
    dy_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr, dx_ptr, dweight_sums, dbias_sums,
    rows, columns,
    BLOCK: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    j = tl.arange(0, BLOCK)
    inside = j < columns
    weight = tl.load(weight_ptr + j, mask=inside, other=0)
    dweight = tl.zeros((BLOCK,), tl.float32)
    dbias = tl.zeros((BLOCK,), tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        dy = tl.load(dy_ptr + row * columns + j, mask=inside, other=0)
        x = tl.load(x_ptr + row * columns + j, mask=inside, other=0)
        rstd = tl.load(rstd_ptr + row)
        h = (x - tl.load(mean_ptr + row)) * rstd
        dh = dy * weight
        dx = dh - tl.sum(dh, axis=0) / columns - h * (tl.sum(dh * h, axis=0) / columns)
        tl.store(dx_ptr + row * columns + j, rstd * dx, mask=inside)
        dweight += dy * h
        dbias += dy
    tl.store(dweight_sums + program * columns + j, dweight, mask=inside)
    tl.store(dbias_sums + program * columns + j, dbias, mask=inside)


@blockdsl.jit
def sum_of_rows(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    j = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((COLUMNS,), tl.float32)
    for start in range(0, rows, ROWS):
        i = start + tl.arange(0, ROWS)
        inside = (i < rows)[:, None] & (j < columns)[None, :]
        x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=0)
        total += tl.sum(x, axis=0)
    tl.store(out_ptr + j, total, mask=j < columns)


# %%
# A ``torch.autograd.Function`` joins the kernels to an operation with a gradient:


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(context, x, weight, bias, eps):
        rows, columns = x.shape
        out, mean, rstd = torch.empty_like(x), x.new_empty(rows), x.new_empty(rows)
        BLOCK = blockdsl.next_power_of_2(columns)
        layer_norm_rows[(rows,)](
            x, weight, bias, out, mean, rstd, columns, eps, BLOCK=BLOCK
        )
        context.save_for_backward(x, weight, mean, rstd)
        return out

    @staticmethod
    def backward(context, dy):
        x, weight, mean, rstd = context.saved_tensors
        rows, columns = x.shape
        programs = min(rows, 64)
        dx, dweight, dbias = (torch.empty_like(each) for each in (x, weight, weight))
        dweight_sums, dbias_sums = x.new_empty(2, programs, columns)
        layer_norm_gradient[(programs,)](
            dy.contiguous(), x, weight, mean, rstd, dx, dweight_sums, dbias_sums,
            rows, columns, BLOCK=blockdsl.next_power_of_2(columns),
        )  # fmt: skip
        for sums, out in ((dweight_sums, dweight), (dbias_sums, dbias)):
            sum_of_rows[(blockdsl.cdiv(columns, 64),)](
                sums, out, programs, columns, ROWS=16, COLUMNS=64
            )
        return dx, dweight, dbias, None


x = torch.randn(300, 1000, device=device, requires_grad=True)
weight = torch.rand(1000, device=device, requires_grad=True)
bias = torch.rand(1000, device=device, requires_grad=True)
dy = torch.randn(300, 1000, device=device)

ours = LayerNorm.apply(x, weight, bias, 1e-5)
theirs = torch.nn.functional.layer_norm(x, (1000,), weight, bias, 1e-5)
assert torch.allclose(ours, theirs, atol=1e-5)
for mine, wanted in zip(
    torch.autograd.grad(ours, (x, weight, bias), dy),
    torch.autograd.grad(theirs, (x, weight, bias), dy),
    strict=True,
):
    assert torch.allclose(mine, wanted, atol=1e-4, rtol=1e-4)

# %%
# On a CPU
# --------
#
# A reduction along contiguous memory keeps several registers of partial sums, and combines
# their lanes once at the end of the row. So the order of a sum is not that of a loop over
# the elements, and results may differ from NumPy's in the last bits. One core computes a
# program from its beginning to its end, and the row stays in its nearest cache between the
# maximum, the sum and the quotient: it is read from memory once.
#
# On a GPU
# --------
#
# The elements of a row are in the registers of the program's threads. Each thread reduces
# its own, then the threads of a warp exchange theirs, then the warps exchange theirs
# through shared memory. ``num_warps=8`` in a launch gives long rows more threads.
#
# The bars compare three ways to compute the softmax of rows that do not fit into the caches
# together:

x = torch.randn(2048, 1024, device=device)


def in_steps() -> torch.Tensor:
    numerator = torch.exp(x - x.max(1, keepdim=True).values)
    return numerator / numerator.sum(1, keepdim=True)


ways = {
    "an operation at a time": in_steps,
    "torch.softmax": lambda: torch.softmax(x, 1),
    "our kernel": lambda: softmax(x),
}
times = [
    blockdsl.testing.do_bench(way, warmup=5, rep=30, return_mode="min")
    for way in ways.values()
]

_, axes = plt.subplots(figsize=(8, 2))
axes.barh([*ways], times)
axes.invert_yaxis()
axes.set(xlabel="milliseconds", title=f"softmax of {x.shape[0]} x {x.shape[1]}")
plt.tight_layout()

# %%
# Exercises
# ---------
#
# - Compute the index of the largest element of each row, with ``tl.argmax``.
# - Write a layer norm of rows that do not fit into a block. Is one loop enough for the mean
#   and the variance?

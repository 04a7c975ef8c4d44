"""
6. Atomics, scans, sorting, random numbers
==========================================

The programs of the chapters before wrote to different places. This chapter lets programs
share results: a histogram with atomic additions, and a compaction that keeps some elements
of a vector in their order. It also sorts, and draws random numbers.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch

import blockdsl
import blockdsl.language as tl

device = "cuda" if torch.cuda.is_available() else "cpu"

# %%
# Random numbers
# --------------
#
# ``tl.rand(seed, offsets)`` gives a number between 0 and 1 for each offset, and
# ``tl.randn`` one of the normal distribution. There is no state: a number depends on the
# seed and the offset alone. So the numbers are the same for each size of blocks and each
# order of the programs, and a backward pass can draw them again instead of storing them.


@blockdsl.jit
def draw(out_ptr, n, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.randn(seed, offsets), mask=offsets < n)


n = 100_000
numbers = torch.empty(n, device=device)
draw[(blockdsl.cdiv(n, 1024),)](numbers, n, 7, BLOCK=1024)
again = torch.empty(n, device=device)
draw[(blockdsl.cdiv(n, 256),)](again, n, 7, BLOCK=256)
assert torch.equal(numbers, again)
assert abs(numbers.mean()) < 0.02
assert abs(numbers.std() - 1) < 0.02

# %%
# Atomics
# -------
#
# A histogram counts how many numbers fall into each bin. Two programs may find numbers of
# the same bin at the same time. If each loaded the count, added one and stored it, one of
# the two would be lost. ``tl.atomic_add`` loads, adds and stores in one step that nothing
# can interrupt. The mask works as for a store.


@blockdsl.jit
def histogram(x_ptr, counts_ptr, n, low, width, bins, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    index = tl.floor((x - low) / width).to(tl.int32)
    inside = (offsets < n) & (index >= 0) & (index < bins)
    tl.atomic_add(counts_ptr + index, 1, mask=inside)


bins, low, high = 64, -4.0, 4.0
counts = torch.zeros(bins, dtype=torch.int32, device=device)
histogram[(blockdsl.cdiv(n, 1024),)](
    numbers, counts, n, low, (high - low) / bins, bins, BLOCK=1024
)

wanted = torch.histc(numbers.cpu(), bins, low, high)
# A number at the edge of two bins may be counted in either.
assert (counts.cpu() - wanted).abs().sum() < 20

_, axes = plt.subplots(figsize=(8, 2.6))
centers = np.linspace(low, high, bins, endpoint=False) + (high - low) / bins / 2
axes.bar(centers, counts.cpu(), width=(high - low) / bins * 0.9)
axes.set(title="100,000 numbers of tl.randn", xlabel="value", ylabel="count")
plt.tight_layout()

# %%
# The order of the additions is that of the programs, which is different in each run.
# Integers do not mind, but sums of floats differ in the last bits. Where that matters, let
# each program write its own sum, and add these up in a second launch, as the gradient of
# chapter 3 does.
#
# Scans
# -----
#
# A scan gives, for each element, the combination of all elements up to it: ``tl.cumsum`` is
# NumPy's. It answers where to write: to keep the positive numbers of a vector, number them,
# and write each to its own number.
#
# Within a block that is a scan. Across programs, each has to know how many the programs
# before it keep. One launch counts, a scan over the counts gives the first index of each
# program, and another launch writes.


@blockdsl.jit
def count_positive(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = tl.load(x_ptr + offsets, mask=offsets < n, other=0) > 0
    tl.store(counts_ptr + tl.program_id(0), tl.sum(keep.to(tl.int32), axis=0))


@blockdsl.jit
def write_positive(x_ptr, first_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    keep = x > 0
    at = tl.cumsum(keep.to(tl.int32), axis=0) - 1  # The first that is kept goes to 0.
    first = tl.load(first_ptr + tl.program_id(0))
    tl.store(out_ptr + first + at, x, mask=keep)


@blockdsl.jit
def exclusive_sum(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    tl.store(out_ptr + offsets, tl.cumsum(x, axis=0) - x, mask=offsets < n)


def positive(x: torch.Tensor, BLOCK: int = 1024) -> torch.Tensor:
    programs = blockdsl.cdiv(x.numel(), BLOCK)
    counts = torch.empty(programs, dtype=torch.int32, device=x.device)
    first = torch.empty_like(counts)
    count_positive[(programs,)](x, counts, x.numel(), BLOCK=BLOCK)
    exclusive_sum[(1,)](counts, first, programs, BLOCK=blockdsl.next_power_of_2(programs))
    out = torch.empty(int(first[-1] + counts[-1]), device=x.device)
    write_positive[(programs,)](x, first, out, x.numel(), BLOCK=BLOCK)
    return out


assert torch.equal(positive(numbers), numbers[numbers > 0])

# %%
# A picture of one block of 16 numbers: those above zero, and the index that the scan gives
# each of them:


def draw_compaction() -> None:
    x = numbers[:16].cpu().numpy()
    keep = x > 0
    at = np.cumsum(keep) - 1
    _, axes = plt.subplots(figsize=(8, 2.4))
    for index in range(16):
        color = "C0" if keep[index] else "lightgray"
        axes.add_patch(
            plt.Rectangle((index, 1), 1, 0.5, facecolor=color, edgecolor="black")
        )
        axes.text(
            index + 0.5, 1.25, f"{x[index]:.1f}", ha="center", va="center", fontsize=8
        )
        if keep[index]:
            axes.add_patch(
                plt.Rectangle((at[index], 0), 1, 0.5, facecolor="C0", edgecolor="black")
            )
            axes.annotate(
                "",
                (at[index] + 0.5, 0.5),
                (index + 0.5, 1),
                arrowprops={"arrowstyle": "->"},
            )
    axes.set(xlim=(-0.2, 16.2), ylim=(-0.1, 1.6))
    axes.axis("off")
    plt.tight_layout()


draw_compaction()

# %%
# ``tl.associative_scan`` takes a function of its own, which must be associative.
# ``tl.reduce`` does the same for a reduction. Here is a running product of pairs, the
# solution of ``h = a * h + b`` at each step, which a loop would compute one after the
# other:


@blockdsl.jit
def then(a, b, next_a, next_b):
    """One step after another is a step as well."""
    return a * next_a, b * next_a + next_b


@blockdsl.jit
def recurrence(a_ptr, b_ptr, h_ptr, BLOCK: tl.constexpr):
    t = tl.arange(0, BLOCK)
    steps = (tl.load(a_ptr + t), tl.load(b_ptr + t))
    _, h = tl.associative_scan(steps, 0, then)
    tl.store(h_ptr + t, h)


a, b = torch.rand(256, device=device), torch.randn(256, device=device)
h = torch.empty_like(a)
recurrence[(1,)](a, b, h, BLOCK=256)

value, wanted = 0.0, []
for factor, term in zip(a.tolist(), b.tolist(), strict=True):
    value = factor * value + term
    wanted.append(value)
assert np.allclose(h.cpu(), wanted, atol=1e-4)

# %%
# Sorting
# -------
#
# ``tl.sort`` sorts a block along its last dimension, and ``tl.topk`` gives the largest.
# Elements outside of a mask need a value that ends up where it does no harm.


@blockdsl.jit
def sort_rows(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0) * columns + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < columns
    x = tl.load(x_ptr + at, mask=inside, other=float("inf"))
    tl.store(out_ptr + at, tl.sort(x), mask=inside)


x = torch.randn(50, 100, device=device)
out = torch.empty_like(x)
sort_rows[(50,)](x, out, 100, BLOCK=128)
assert torch.equal(out, x.sort(1).values)

# %%
# On a CPU
# --------
#
# An atomic addition locks one cache line for the core that executes it. Many cores that add
# to the same few counts wait for each other. A scan runs along a register with shuffles,
# and carries the last lane to the next register. A sort is a network of minima and maxima
# of registers.
#
# On a GPU
# --------
#
# Atomics are executed by the second-level cache, for all processors. A scan and a sort
# exchange elements between the threads of a warp, and through shared memory between warps.
# ``tl.histogram`` counts within a program first, and leaves one atomic addition a bin and
# program instead of one a number.
#
# Exercises
# ---------
#
# - Use ``tl.histogram`` in the histogram. How many atomic additions are left?
# - Estimate pi: draw points in a square, count those in the circle within each program, and
#   add the counts up with one atomic.
# - Write dropout: ``tl.where(tl.rand(seed, offsets) > p, x / (1 - p), 0)``, and its
#   gradient, which draws the same numbers.

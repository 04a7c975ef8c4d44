"""
1. Grids, blocks and masks
==========================

NumPy computes ``a * x + y`` in two steps. The first writes ``a * x`` to memory, and the
second reads it back to add ``y``. A kernel computes both in one pass over the data. This
chapter writes such a kernel, launches it and looks at what it became.
"""

import matplotlib.pyplot as plt
import numpy as np
import torch
from matplotlib.patches import Rectangle

import blockdsl
import blockdsl.language as tl

# %%
# A kernel
# --------
#
# A kernel is a function that is compiled and runs many times. One run is called a
# *program*. Each program computes one part of the result, and finds out which one from its
# number, ``tl.program_id(0)``.


@blockdsl.jit
def axpy(a, x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = offsets < n
    x = tl.load(x_ptr + offsets, mask=inside)
    y = tl.load(y_ptr + offsets, mask=inside)
    tl.store(out_ptr + offsets, a * x + y, mask=inside)


# %%
# Line by line:
#
# - ``x_ptr``, ``y_ptr`` and ``out_ptr`` are pointers. The caller passes arrays, and the
#   kernel receives the address of the first element of each.
# - ``BLOCK: tl.constexpr`` is a constant of the compiled code: a launch with another value
#   compiles another kernel.
# - ``offsets`` is a *block*, an array inside of the kernel. ``tl.arange(0, BLOCK)`` is like
#   ``np.arange``, and the number of elements must be a power of two. Program 2 of blocks of
#   256 has the offsets 512 to 767.
# - ``x_ptr + offsets`` is a block of addresses, and ``tl.load`` reads the elements at these
#   addresses.
# - ``inside`` is the *mask*. Where it is false, nothing is loaded and nothing is stored.
#   Without it, the last program would read and write behind the end of the arrays.
#
# A launch gives the *grid* in brackets, which is the number of programs, and then the
# arguments:

n, BLOCK = 1000, 256
x = np.linspace(0, 1, n, dtype=np.float32)
y = np.ones_like(x)
out = np.empty_like(x)

grid = (blockdsl.cdiv(n, BLOCK),)  # 1000 / 256, rounded up
compiled = axpy[grid](2.0, x, y, out, n, BLOCK=BLOCK)

assert np.allclose(out, 2 * x + y)
print("programs:", grid[0])

# %%
# Four programs of 256 elements cover 1024 offsets. The last 24 of them are outside of the
# arrays, and the mask is false there:


def draw_grid() -> None:
    _, axes = plt.subplots(figsize=(8, 1.8))
    for program in range(grid[0]):
        axes.add_patch(
            Rectangle(
                (program * BLOCK, 0),
                BLOCK,
                1,
                facecolor=f"C{program}",
                edgecolor="black",
                alpha=0.7,
            )
        )
        axes.text(
            program * BLOCK + BLOCK / 2, 0.5, f"program {program}", ha="center", va="center"
        )
    axes.add_patch(
        Rectangle(
            (n, 0),
            grid[0] * BLOCK - n,
            1,
            facecolor="white",
            edgecolor="black",
            hatch="////",
        )
    )
    axes.annotate(
        "mask is false", (n + 12, 1), (n - 60, 1.35), arrowprops={"arrowstyle": "->"}
    )
    axes.set(
        xlim=(-10, 1100),
        ylim=(0, 1.7),
        yticks=[],
        xlabel="offset",
        xticks=[0, 256, 512, 768, 1000],
    )
    for side in ("top", "left", "right"):
        axes.spines[side].set_visible(False)
    plt.tight_layout()


draw_grid()

# %%
# On a CPU
# --------
#
# The first launch compiles the kernel for this CPU, which takes some tens of milliseconds,
# and keeps the result on disk. Later launches, and later processes, use what was compiled.
#
# A block is not an array in memory. ``axpy`` becomes a loop over vector registers, which
# hold 4 to 16 numbers of 32 bits. The mask becomes the end of the loop, so elements outside
# cost nothing. The programs of a grid are divided among the cores, and each core runs its
# share one after another.
#
# A launch returns the compiled kernel, which has its text at each stage of the compilation.
# The last stage is machine code. Here are the instructions that multiply and add, each in
# all lanes of a register:

adds = [
    line.strip()
    for line in compiled.asm["asm"].splitlines()
    if "fma" in line or "fmla" in line
]
print("\n".join(adds[:4]))

# %%
# On a GPU
# --------
#
# The same kernel runs on tensors of torch that are in a GPU's memory; NumPy's arrays are
# always in the CPU's. There a program is run by a group of threads (``num_warps=4`` are
# 128), and each thread computes some elements of the block. Threads whose elements are
# outside of the mask wait. A GPU runs hundreds of programs at a time, so it needs grids of
# thousands of programs to be busy, while a CPU needs a few for each core.

device = "cuda" if torch.cuda.is_available() else "cpu"
x_tensor = torch.linspace(0, 1, n, device=device)
y_tensor = torch.ones_like(x_tensor)
out_tensor = torch.empty_like(x_tensor)
axpy[grid](2.0, x_tensor, y_tensor, out_tensor, n, BLOCK=BLOCK)

assert torch.allclose(out_tensor, 2 * x_tensor + y_tensor)

# %%
# The size of a block
# -------------------
#
# Which ``BLOCK`` is best? On a GPU a block should give each thread of a program something
# to do, so blocks below 128 waste threads. On a CPU a program costs very little, and small
# blocks only lose where a register is not full. On both, very large blocks leave too few
# programs for all cores. ``do_bench`` measures the time of a call in milliseconds:

n = 2**16
x_tensor, y_tensor = torch.rand(n, device=device), torch.rand(n, device=device)
out_tensor = torch.empty_like(x_tensor)


def milliseconds(block: int) -> float:
    def launch() -> None:
        axpy[(blockdsl.cdiv(n, block),)](
            2.0, x_tensor, y_tensor, out_tensor, n, BLOCK=block
        )

    return blockdsl.testing.do_bench(launch, warmup=2, rep=10, return_mode="min")


sizes = [4, 16, 64, 256, 1024, 4096, 16384, 65536]
times = [milliseconds(size) for size in sizes]

_, axes = plt.subplots(figsize=(8, 3))
axes.plot(sizes, [1e3 * time for time in times], "o-")
axes.set(xscale="log", xlabel="BLOCK", ylabel="microseconds", ylim=(0, None))
axes.set_title(f"axpy of {n} numbers on a {'GPU' if device == 'cuda' else 'CPU'}")
axes.set_xticks(sizes, [str(size) for size in sizes])
plt.tight_layout()

# %%
# Exercises
# ---------
#
# - Remove the masks and launch the kernel. On a CPU blockdsl refuses the launch and says
#   which element is outside.
# - Add a third array, so that the kernel computes ``a * x + b * y + z``. How many passes
#   over the data would NumPy take?

"""
2. Strides and stencils
=======================

Images and matrices have two dimensions, while memory has one. This chapter addresses blocks
of two dimensions by strides, and lets heat spread over a plate: each new value is computed
from the five old values around it, which is called a stencil.
"""

import matplotlib.pyplot as plt
import torch

import blockdsl
import blockdsl.language as tl

device = "cuda" if torch.cuda.is_available() else "cpu"

# %%
# Addresses of a block
# --------------------
#
# Element ``[i, j]`` of a matrix is at ``pointer + i * row_stride + j * column_stride``.
# NumPy counts strides in bytes, torch and kernels count them in elements. A program that
# has a block of rows and a block of columns makes the block of all addresses by
# broadcasting, as NumPy does: ``[:, None]`` makes a column, ``[None, :]`` makes a row, and
# their sum is a matrix.


@blockdsl.jit
def copy(
    x_ptr, out_ptr, rows, columns, x_row, x_column, out_row, out_column,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    inside = (i < rows) & (j < columns)
    x = tl.load(x_ptr + i * x_row + j * x_column, mask=inside)
    tl.store(out_ptr + i * out_row + j * out_column, x, mask=inside)


def copy_into(out: torch.Tensor, x: torch.Tensor, ROWS: int, COLUMNS: int) -> None:
    grid = (blockdsl.cdiv(x.shape[0], ROWS), blockdsl.cdiv(x.shape[1], COLUMNS))
    copy[grid](x, out, *x.shape, *x.stride(), *out.stride(), ROWS=ROWS, COLUMNS=COLUMNS)


# %%
# The grid has two dimensions now, and ``tl.program_id(1)`` is the second number of a
# program. The kernel knows nothing of the layout of ``x`` but its strides, so it copies a
# transposed view as well:

x = torch.rand(100, 70, device=device)
for view in (x, x.T):
    out = torch.empty(view.shape, device=device)
    copy_into(out, view, 16, 32)
    assert torch.equal(out, view)
    print("shape", tuple(view.shape), "strides", view.stride())

# %%
# Which elements of memory does a program touch? The picture shows a matrix of 12 rows and
# 16 columns, row after row, and the addresses of program (1, 0) for a block of 4 by 4: four
# short pieces of memory, a row apart.


def draw_addresses(rows: int, columns: int, block: int) -> None:
    touched = torch.zeros(rows, columns)
    touched[block : 2 * block, :block] = 1
    _, (above, below) = plt.subplots(2, figsize=(8, 4), height_ratios=[4, 1])
    above.pcolormesh(touched, cmap="Blues", edgecolors="gray", linewidth=0.5, vmax=1.5)
    above.invert_yaxis()
    above.set(title="matrix", ylabel="row", aspect="equal")
    below.pcolormesh(touched.reshape(1, -1), cmap="Blues", vmax=1.5)
    below.set(title="memory", yticks=[], xlabel="address, in elements")
    plt.tight_layout()


draw_addresses(12, 16, 4)

# %%
# A stencil
# ---------
#
# A plate has a temperature at each point. In a short time each point moves towards the mean
# of its four neighbors. In NumPy this is a sum of shifted arrays, each a pass over memory.
# The kernel loads five blocks with different offsets. Neighboring loads overlap, so they
# come from the cache and not from memory.


@blockdsl.jit
def heat_step(
    now_ptr, next_ptr, rows, columns, stride, speed,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)[None, :]
    inside = (i < rows) & (j < columns)
    here = now_ptr + i * stride + j
    center = tl.load(here, mask=inside, other=0)
    # Points outside of the plate are as cold as zero.
    above = tl.load(here - stride, mask=inside & (i > 0), other=0)
    below = tl.load(here + stride, mask=inside & (i < rows - 1), other=0)
    left = tl.load(here - 1, mask=inside & (j > 0), other=0)
    right = tl.load(here + 1, mask=inside & (j < columns - 1), other=0)
    change = above + below + left + right - 4 * center
    tl.store(next_ptr + i * stride + j, center + speed * change, mask=inside)


# %%
# ``other`` is the value of elements outside of the mask. The load of ``left`` computes
# addresses in front of the first column, and the mask keeps it from reading there.
#
# Each step is one launch, from one array to another. A kernel that wrote into the array it
# reads would mix old and new values, because programs of a launch may run in any order. The
# next launch sees everything that the one before has written.


def heat(plate: torch.Tensor, steps: int, speed: float = 0.2) -> torch.Tensor:
    rows, columns = plate.shape
    now, following = plate.clone(), torch.empty_like(plate)
    ROWS, COLUMNS = 4, 128
    grid = (blockdsl.cdiv(rows, ROWS), blockdsl.cdiv(columns, COLUMNS))
    for _ in range(steps):
        heat_step[grid](
            now, following, rows, columns, now.stride(0), speed, ROWS=ROWS, COLUMNS=COLUMNS
        )
        now, following = following, now
    return now


def heat_in_torch(plate: torch.Tensor, steps: int, speed: float = 0.2) -> torch.Tensor:
    for _ in range(steps):
        padded = torch.nn.functional.pad(plate, (1, 1, 1, 1))
        neighbors = (
            padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
        )
        plate = plate + speed * (neighbors - 4 * plate)
    return plate


plate = torch.zeros(150, 200, device=device)
plate[40:60, 30:170] = 1.0
plate[90:130, 80:100] = 2.0
assert torch.allclose(heat(plate, 50), heat_in_torch(plate, 50), atol=1e-5)

_, axes = plt.subplots(1, 3, figsize=(8, 2.4))
for each, steps in zip(axes, (0, 100, 1000), strict=True):
    each.imshow(heat(plate, steps).cpu(), cmap="inferno", vmin=0, vmax=1)
    each.set(title=f"after {steps} steps", xticks=[], yticks=[])
plt.tight_layout()

# %%
# On a CPU
# --------
#
# The compiler makes loops of a block: here 4 rows of 128 columns. It finds out which
# dimension is contiguous in memory and fills vector registers along it, because a register
# is loaded at once only from neighboring addresses. Elements with a stride between them are
# gathered one by one. So let the last dimension of a block run along contiguous memory, and
# give it 64 elements and more. The five loads of the stencil become loads from five
# addresses, and nothing is written in between.
#
# On a GPU
# --------
#
# Neighboring threads of a program take neighboring elements of a block. Their loads are
# combined to one access of 128 bytes where the addresses are contiguous, and are separate
# accesses where they are not. The rule is the same as on a CPU.
#
# The bars show the time of one copy for blocks of equally many elements in different
# shapes:

x = torch.rand(1024, 1024, device=device)
out = torch.empty_like(x)
shapes = [(1, 1024), (8, 128), (32, 32), (128, 8), (1024, 1)]


def microseconds(shape: tuple[int, int]) -> float:
    def launch() -> None:
        copy_into(out, x, *shape)

    return 1e3 * blockdsl.testing.do_bench(launch, warmup=2, rep=10, return_mode="min")


_, axes = plt.subplots(figsize=(8, 3))
axes.bar(
    [f"{rows} x {columns}" for rows, columns in shapes],
    [microseconds(each) for each in shapes],
)
axes.set(
    xlabel="rows x columns of a block",
    ylabel="microseconds",
    yscale="log",
    title="copy of 1024 x 1024",
)
plt.tight_layout()

# %%
# Exercises
# ---------
#
# - Let the border of the plate be closed: a neighbor outside is as warm as the point
#   itself.
# - Compute two steps in one launch. How many old values does a new one need then?

"""
4. A matrix product, from plain to tuned
========================================

A product of two matrices of 512 rows and columns takes 268 million multiplications and
additions on 3 MB of data: each number is used 512 times. Its speed is decided by how often
a number is used once it has been loaded. This chapter begins with a plain kernel and makes
it faster in three steps. At each step it reads the *plan*, the list of loops that the
compiler has chosen for a CPU.
"""

import re

import matplotlib.pyplot as plt
import torch
from matplotlib.patches import Rectangle

import blockdsl
import blockdsl.language as tl

device = "cuda" if torch.cuda.is_available() else "cpu"
# A GPU multiplies float32 with fewer bits unless a kernel asks for more: see the end.
tolerance = 1e-3 if device == "cpu" else 0.2

# %%
# Tiles
# -----
#
# One program computes a tile of the result. It needs a band of rows of ``a`` and a band of
# columns of ``b``, which it reads in steps of ``K`` elements:


def draw_tiles() -> None:
    _, axes = plt.subplots(1, 3, figsize=(8, 2.7))
    bands = {"a": (0, 4, 12, 3), "b": (6, 0, 3, 12), "c = a @ b": (6, 4, 3, 3)}
    steps = {"a": (3, 4, 3, 3), "b": (6, 3, 3, 3)}
    for each, (name, (x, y, width, height)) in zip(axes, bands.items(), strict=True):
        each.add_patch(Rectangle((0, 0), 12, 12, facecolor="none", edgecolor="black"))
        each.add_patch(Rectangle((x, y), width, height, facecolor="C0", alpha=0.3))
        if name in steps:
            x, y, width, height = steps[name]
        each.add_patch(Rectangle((x, y), width, height, facecolor="C0"))
        each.set(title=name, xlim=(-0.3, 12.3), ylim=(12.3, -0.3), aspect="equal")
        each.axis("off")
    plt.tight_layout()


draw_tiles()

# %%
# Step 1: the plain kernel
# ------------------------
#
# In each iteration the kernel takes one column of the band of ``a`` and one row of the band
# of ``b``. Their product by broadcasting is a matrix as large as the tile, which is added
# to ``total``.


@blockdsl.jit
def plain(a_ptr, b_ptr, c_ptr, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), tl.float32)
    for k in range(K):
        a = tl.load(a_ptr + i * K + k, mask=i < M, other=0)
        b = tl.load(b_ptr + k * N + j, mask=j < N, other=0)
        total += a[:, None] * b[None, :]
    inside = (i < M)[:, None] & (j < N)[None, :]
    tl.store(c_ptr + i[:, None] * N + j[None, :], total, mask=inside)


def grid(meta):
    return (blockdsl.cdiv(n, meta["ROWS"]), blockdsl.cdiv(n, meta["COLUMNS"]))


n = 512
a, b = torch.randn(n, n, device=device), torch.randn(n, n, device=device)
c = torch.empty(n, n, device=device)
plain[grid](a, b, c, n, n, n, ROWS=32, COLUMNS=64)
assert torch.allclose(c, a @ b, atol=tolerance)

# %%
# ``grid`` is a function here. It is called with the values of the constants, so that the
# number of programs follows from them.
#
# The plan is the stage ``nests`` of the compiled kernel. Each ``cpu.nest`` in it is a nest
# of loops over the elements of a block, with the decisions about these loops.
# ``blockdsl.compile`` compiles without a launch, and the lines with loops and stores are
# enough here:


def plan(kernel, **constants) -> str:
    pointers = dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp32:16")
    signature = {**pointers, **dict.fromkeys("MNK", "i32:16")}
    compiled = blockdsl.compile(kernel, signature, constants, target="cpu")
    shown = re.compile(r"cpu\.nest|cpu\.yield %|scf\.for|tt\.store")
    return "\n".join(
        line[4:] for line in compiled.asm["nests"].splitlines() if shown.search(line)
    )


print(plan(plain, ROWS=32, COLUMNS=64))

# %%
# The second ``cpu.nest`` is the body of the loop. On a CPU with AVX-512 it computes vectors
# of 16 lanes along dimension 1. A nest computes one iteration of the loop around it, so it
# yields ``total`` ``in destination``: into the buffer of the value that the loop carries.
# The tile is 128 vectors of 16 lanes, and the CPU has 32 registers for vectors. So each
# multiplication comes with a load and a store of the buffer.
#
# Step 2: ``tl.dot``
# ------------------
#
# ``tl.dot`` multiplies two blocks as matrices. Each iteration now takes ``DEPTH`` columns
# of the band of ``a`` and as many rows of that of ``b``, and the compiler knows that all of
# it is one matrix product. The loop is a function of its own, because a later kernel needs
# it as well: functions of ``@blockdsl.jit`` may call each other.


@blockdsl.jit
def tile_of_product(a_ptr, b_ptr, i, j, M, N, K, DEPTH: tl.constexpr):
    total = tl.zeros((i.shape[0], j.shape[0]), tl.float32)
    for start in range(0, K, DEPTH):
        k = start + tl.arange(0, DEPTH)
        a_inside = (i < M)[:, None] & (k < K)[None, :]
        b_inside = (k < K)[:, None] & (j < N)[None, :]
        a = tl.load(a_ptr + i[:, None] * K + k[None, :], mask=a_inside, other=0)
        b = tl.load(b_ptr + k[:, None] * N + j[None, :], mask=b_inside, other=0)
        total = tl.dot(a, b, total)
    return total


@blockdsl.jit
def tiled(
    a_ptr, b_ptr, c_ptr, M, N, K,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    total = tile_of_product(a_ptr, b_ptr, i, j, M, N, K, DEPTH)
    inside = (i < M)[:, None] & (j < N)[None, :]
    tl.store(c_ptr + i[:, None] * N + j[None, :], total, mask=inside)


tiled[grid](a, b, c, n, n, n, ROWS=32, COLUMNS=32, DEPTH=32)
assert torch.allclose(c, a @ b, atol=tolerance)
print(plan(tiled, ROWS=32, COLUMNS=32, DEPTH=32))

# %%
# The body of the loop is a ``cpu.nest matmul`` now. ``tile`` says how many rows and columns
# of the result stay in registers while it runs over the depth: a number of ``a`` is used
# for all columns of a tile, and a vector of ``b`` for all of its rows. Operands with a
# ``packed`` layout are first copied to the order in which the tiles read them. ``epilogue =
# true`` means that each tile is stored by the nest marked ``epilogue`` as soon as it is
# complete. The nest marked ``when_empty`` writes the zeros only where the loop has no
# iteration. :doc:`../plan` explains the decisions.
#
# Step 3: the size of the blocks
# ------------------------------
#
# Larger blocks use each number more often, and smaller ones stay in a nearer cache. Which
# is best depends on the machine, so it is measured: ``autotune`` times each configuration
# at the first launch and keeps the fastest. A configuration that needs more memory than the
# machine has, such as the last ones on a GPU, counts as infinitely slow.

sizes = [(32, 32, 32), (64, 64, 64), (128, 64, 64), (128, 128, 128), (256, 128, 256)]
tuned = blockdsl.autotune(
    [
        blockdsl.Config(dict(zip(("ROWS", "COLUMNS", "DEPTH"), size, strict=True)))
        for size in sizes
    ],
    key=["M", "N", "K"],
)(tiled)

tuned[grid](a, b, c, n, n, n)
assert torch.allclose(c, a @ b, atol=tolerance)
print("fastest:", tuned.best_config)

# %%
# An operation after the product
# ------------------------------
#
# A product is often followed by something small, such as a bias and an activation. In NumPy
# that is another pass over the result. In a kernel it is computed on the tile, before the
# tile is stored:


@blockdsl.jit
def tiled_relu(
    a_ptr, b_ptr, c_ptr, M, N, K,
    ROWS: tl.constexpr, COLUMNS: tl.constexpr, DEPTH: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    j = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    total = tile_of_product(a_ptr, b_ptr, i, j, M, N, K, DEPTH)
    inside = (i < M)[:, None] & (j < N)[None, :]
    tl.store(c_ptr + i[:, None] * N + j[None, :], tl.maximum(total, 0), mask=inside)


tiled_relu[grid](a, b, c, n, n, n, ROWS=64, COLUMNS=64, DEPTH=64)
assert torch.allclose(c, torch.relu(a @ b), atol=tolerance)
print(plan(tiled_relu, ROWS=64, COLUMNS=64, DEPTH=64))

# %%
# The plan has as many nests as before: the maximum is part of the one marked ``epilogue``.
#
# The steps compared
# ------------------


def gigaflops(launch) -> float:
    return (
        2e-6 * n**3 / blockdsl.testing.do_bench(launch, warmup=5, rep=50, return_mode="min")
    )


rates = {
    "plain": gigaflops(lambda: plain[grid](a, b, c, n, n, n, ROWS=32, COLUMNS=64)),
    "tl.dot": gigaflops(
        lambda: tiled[grid](a, b, c, n, n, n, ROWS=32, COLUMNS=32, DEPTH=32)
    ),
    "autotuned": gigaflops(lambda: tuned[grid](a, b, c, n, n, n)),
    "torch": gigaflops(lambda: torch.matmul(a, b, out=c)),
}

_, axes = plt.subplots(figsize=(8, 2))
axes.barh([*rates], [*rates.values()])
axes.invert_yaxis()
axes.set(xlabel="billions of operations a second", title=f"product of {n} x {n} matrices")
plt.tight_layout()

# %%
# On a CPU
# --------
#
# A program is run by one core. Its tiles are sums in registers, the packed panel of ``b``
# stays in the core's second-level cache, and ``a`` comes from the first. Blocks of 128 and
# more fit these sizes. Programs of a launch run in increasing order on each core, so
# neighbors in the grid share what is in the cache. CPUs with instructions for bfloat16,
# bytes or AMX's tiles use them for operands of these types.
#
# On a GPU
# --------
#
# The tile is in the registers of all threads of the program. Steps of ``a`` and ``b`` go
# through shared memory, several ahead of their use (``num_stages``), and the GPU's matrix
# units multiply them. For float32 these units round the operands to 11 bits of fraction
# unless ``tl.dot`` is called with ``input_precision="ieee"``. Blocks of 64 to 128 are best,
# because shared memory is small.
#
# Exercises
# ---------
#
# - Launch the plain kernel with ``ROWS=8, COLUMNS=32``. Its ``total`` is 16 vectors, which
#   LLVM keeps in registers.
# - Multiply by a transposed ``b``, by passing its strides.
# - Let ``a`` and ``b`` be bfloat16. Which ``instruction`` does the plan name on your
#   machine?

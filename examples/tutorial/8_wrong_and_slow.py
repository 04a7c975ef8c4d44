"""
8. When it is wrong, when it is slow
====================================

A kernel that does not compile, a result that is wrong, a program that ends without a word,
a kernel that is slower than expected: this chapter makes each of these mistakes on purpose,
and shows the tool that finds it.
"""

import subprocess
import sys

import matplotlib.pyplot as plt
import torch

import blockdsl
import blockdsl.language as tl

device = "cuda" if torch.cuda.is_available() else "cpu"

# %%
# Errors of the compiler
# ----------------------
#
# An error names the line of the kernel, what was expected and what came, and often a
# remedy. Here two blocks of different shapes are added:


@blockdsl.jit
def add_column(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    i, j = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    x = tl.load(x_ptr + i[:, None] * COLUMNS + j[None, :])
    first = tl.load(x_ptr + i * COLUMNS)
    tl.store(out_ptr + i[:, None] * COLUMNS + j[None, :], x + first)


x = torch.rand(8, 16, device=device)
try:
    add_column[(1,)](x, torch.empty_like(x), ROWS=8, COLUMNS=16)
except blockdsl.errors.TypeMismatchError as error:
    print(error)
else:
    raise AssertionError("not refused")

# %%
# ``first`` has shape (8,), and broadcasting aligns it with the last dimension, as in NumPy.
# ``first[:, None]`` is what was meant.
#
# Refused launches
# ----------------
#
# A kernel without a mask writes behind the end of its arrays. In C, that overwrites other
# objects, and the program fails much later. On a CPU, blockdsl computes before a launch
# which elements the programs access, and refuses a launch that certainly leaves an array.
# :doc:`../when_wrong` says which accesses are checked.


@blockdsl.jit
def double(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at))


x = torch.rand(1000)
try:
    double[(4,)](x, torch.empty_like(x), BLOCK=256)
except blockdsl.errors.LaunchError as error:
    print(error)
else:
    raise AssertionError("not refused")

# %%
# The interpreter
# ---------------
#
# An index that is loaded from memory is not known before the launch. For such mistakes, and
# for results that are wrong, run the kernel as Python: set ``BLOCKDSL_INTERPRET=1`` in the
# environment, or ``knobs.runtime.interpret`` before the kernel is decorated. Then programs
# run one after another, blocks are NumPy arrays, and each access is compared with the
# arrays it may touch.
#
# ``print`` shows blocks, and ``breakpoint()`` in a kernel starts the debugger: ``p x``
# prints a block there, and ``n`` goes to the next line of the kernel.

blockdsl.knobs.runtime.interpret = True


@blockdsl.jit
def gather(x_ptr, index_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    index = tl.load(index_ptr + at)
    print("index:", index)
    tl.store(out_ptr + at, tl.load(x_ptr + index))


blockdsl.knobs.runtime.interpret = False

x, out = torch.arange(10.0), torch.empty(4)
gather[(1,)](x, torch.tensor([3, 1, 4, 1]), out, BLOCK=4)
assert out.tolist() == [3, 1, 4, 1]
try:
    gather[(1,)](x, torch.tensor([3, 1, 4, 15]), out, BLOCK=4)
except blockdsl.errors.BlockdslError as error:
    print(error)
else:
    raise AssertionError("not found")

# %%
# Two functions of the language do this in a compiled kernel: ``tl.device_print("x", x)``
# prints a block, and ``tl.device_assert(x >= 0, "negative")`` ends the launch with an error
# where a condition is false.
#
# Stages and remarks
# ------------------
#
# A kernel is compiled in stages. A launch returns the compiled kernel, and its ``asm`` has
# the text of each. ``BLOCKDSL_DUMP=linalg`` in the environment writes one stage of every
# kernel to a file, and ``BLOCKDSL_DUMP=all`` all of them.


@blockdsl.jit
def softmax_rows(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    at = tl.program_id(0) * columns + tl.arange(0, BLOCK)
    inside = tl.arange(0, BLOCK) < columns
    x = tl.load(x_ptr + at, mask=inside, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + at, numerator / tl.sum(numerator, axis=0), mask=inside)


x, out = torch.rand(10, 1000), torch.empty(10, 1000)
compiled = softmax_rows[(10,)](x, out, 1000, BLOCK=1024)
print([*compiled.asm])

# %%
# The compiler says which decisions it has made that the author of a kernel could change:
# blocks that are kept in memory, loops without vectors, the instructions of a product.
# These are MLIR's *remarks*, which ``blockdsl-opt`` prints when it lowers a stage. Chapter
# 4 shows its plan, which is the list of all loops.

command = [
    sys.executable,
    "-m",
    "blockdsl.mlir.opt",
    "--blockdsl-to-linalg",
    "--blockdsl-linalg-to-loops",
]
options = ["--remarks-filter=.*", "--remark-format=emitRemark", "-o", "/dev/null"]
text = compiled.asm["ttir"]
done = subprocess.run(
    [*command, *options], input=text, capture_output=True, text=True, check=True
)
print(done.stderr)

# %%
# ``exp`` is used by the sum and by the quotient. An element is expensive, so the block is
# computed once and kept in the cache, and not computed twice.
#
# Slow kernels
# ------------
#
# First find out how fast a kernel could be. Most kernels are limited by memory: the bytes
# that they must read and write, divided by the bandwidth of a plain copy, are the shortest
# time possible. Here are two kernels that add up the columns of a matrix, a program for
# each column, and a program for 64 columns that are next to each other:


@blockdsl.jit
def column_sums(x_ptr, out_ptr, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    j = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((COLUMNS,), tl.float32)
    for start in range(0, rows, ROWS):
        i = start + tl.arange(0, ROWS)
        inside = (i < rows)[:, None] & (j < columns)[None, :]
        x = tl.load(x_ptr + i[:, None] * columns + j[None, :], mask=inside, other=0)
        total += tl.sum(x, axis=0)
    tl.store(out_ptr + j, total, mask=j < columns)


rows, columns = 1024, 1024
x = torch.rand(rows, columns, device=device)
sums, copied = torch.empty(columns, device=device), torch.empty_like(x)


def sum_columns(ROWS: int, COLUMNS: int) -> None:
    grid = (blockdsl.cdiv(columns, COLUMNS),)
    column_sums[grid](x, sums, rows, columns, ROWS=ROWS, COLUMNS=COLUMNS)


for shape in ((256, 1), (16, 64)):
    sum_columns(*shape)
    assert torch.allclose(sums, x.sum(0), rtol=1e-4)


def gigabytes_per_second(call, bytes_moved: int) -> float:
    return (
        1e-6
        * bytes_moved
        / blockdsl.testing.do_bench(call, warmup=3, rep=20, return_mode="min")
    )


size = 4 * rows * columns
rates = {
    "a column": gigabytes_per_second(lambda: sum_columns(256, 1), size),
    "64 columns": gigabytes_per_second(lambda: sum_columns(16, 64), size),
    "torch.sum": gigabytes_per_second(lambda: torch.sum(x, 0, out=sums), size),
    "copy": gigabytes_per_second(lambda: copied.copy_(x), 2 * size),
}

_, axes = plt.subplots(figsize=(8, 2))
axes.barh([*rates], [*rates.values()])
axes.invert_yaxis()
axes.set(
    xlabel="billions of bytes a second", title=f"sums of the columns of {rows} x {columns}"
)
plt.tight_layout()

# %%
# The first kernel loads one number from each row. A cache line has 16 numbers, and 15 of
# them are loaded in vain. Which shape is best depends on the machine, and ``autotune``
# finds it, as in chapter 4. ``BLOCKDSL_LOGS=all`` in the environment prints its choices,
# and how long each kernel took to compile. :doc:`../when_slow` explains how ``do_bench``
# measures, and ``perf_report``, which makes tables and plots of benchmarks.
#
# On a CPU
# --------
#
# All of this chapter works. Launches are refused before they run, and an error in a
# compiled kernel, such as a failed ``device_assert``, is raised by the launch itself.
# Measure with as many threads as the program will have: ``torch.set_num_threads`` counts
# for kernels as well.
#
# On a GPU
# --------
#
# Errors of the compiler are the same. Accesses are not checked, and ``tl.device_assert``
# only with ``debug=True`` in ``@blockdsl.jit``. An error is noticed by a later operation
# that waits for the GPU, and ``CUDA_LAUNCH_BLOCKING=1`` makes each launch wait. To find a
# wrong access, run the kernel on copies of its tensors, ``x.cpu()``: there launches are
# checked, and the interpreter checks the rest. Launches return at once, so a clock around a
# launch measures nothing, while ``do_bench`` waits.
#
# Exercises
# ---------
#
# - Leave ``other`` out of the load of a softmax, and find out in the interpreter where the
#   result becomes wrong.
# - Draw the bandwidth of ``axpy`` from chapter 1 over its size, from 1 KiB to 100 MiB.
#   Where are the caches?

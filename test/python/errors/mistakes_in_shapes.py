"""Blocks of extents that cannot be, and changes of shape that lose or make elements."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@refused(
    """
    TypeMismatchError: shapes (16,) and (32,) do not broadcast: 16 and 32 differ at axis 0
      kernel+3:36, in shapes_do_not_broadcast
          tl.store(x + tl.arange(0, 16), a + b)
                                         ^^^^^
      hint: add an axis of extent 1 with x[:, None] or x[None, :]
    """,
    x="*fp32",
)
@blockdsl.jit
def shapes_do_not_broadcast(x):
    a = tl.load(x + tl.arange(0, 16))
    b = tl.load(x + tl.arange(0, 32))
    tl.store(x + tl.arange(0, 16), a + b)


@refused(
    """
    TypeMismatchError: 'arange' expects compile-time integers, got int32
      kernel+1:12, in arange_of_runtime_length
          return tl.arange(0, n)
                 ^^^^^^^^^^^^^^^
      hint: declare the parameter as `n: tl.constexpr`; for any number of elements use a constant extent, and mask=offsets < n
    """,
    n="i32",
)
@blockdsl.jit
def arange_of_runtime_length(n):
    return tl.arange(0, n)


@refused(
    """
    TypeMismatchError: 'arange' expects a length that is a power of two, got 100 from 0 to 100
      kernel+1:5, in arange_not_power_of_two
          tl.arange(0, 100)
          ^^^^^^^^^^^^^^^^^
      hint: use tl.arange(0, 128) and a mask
    """,
)
@blockdsl.jit
def arange_not_power_of_two():
    tl.arange(0, 100)


@refused(
    """
    TypeMismatchError: 'arange' expects an end above the start, got 8 and 4
      kernel+1:5, in arange_backwards
          tl.arange(8, 4)
          ^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def arange_backwards():
    tl.arange(8, 4)


@refused(
    """
    TypeMismatchError: a block's extents must be powers of two, got 3 in (3, 16)
      kernel+1:5, in block_not_power_of_two
          tl.zeros((3, 16), tl.float32)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use 4 and mask the rest off
    """,
)
@blockdsl.jit
def block_not_power_of_two():
    tl.zeros((3, 16), tl.float32)


@refused(
    """
    TypeMismatchError: a block holds at most 1048576 elements, got 2097152 for shape (2048, 1024)
      kernel+1:5, in block_too_large
          tl.zeros((2048, 1024), tl.float32)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: loop over smaller blocks
    """,
)
@blockdsl.jit
def block_too_large():
    tl.zeros((2048, 1024), tl.float32)


@refused(
    """
    TypeMismatchError: a shape expects compile-time integers, got tensor<int32> in (tensor<int32>,)
      kernel+1:5, in shape_of_runtime_extent
          tl.zeros((n,), tl.float32)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: declare the parameter as `n: tl.constexpr`; for any number of elements use a constant extent, and mask=offsets < n
    """,
    n="i32",
)
@blockdsl.jit
def shape_of_runtime_extent(n):
    tl.zeros((n,), tl.float32)


@refused(
    """
    TypeMismatchError: 'sum' expects an axis from -1 to 0 for 1 dimensions, got 1
      kernel+1:5, in reduction_axis_out_of_range
          tl.sum(tl.load(x + tl.arange(0, 16)), axis=1)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def reduction_axis_out_of_range(x):
    tl.sum(tl.load(x + tl.arange(0, 16)), axis=1)


@refused(
    """
    TypeMismatchError: 'softmax' expects an axis from -2 to 1 for 2 dimensions, got 2
      kernel+1:5, in softmax_axis_out_of_range
          tl.softmax(tl.full((4, 4), 1.0, tl.float32), 2)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def softmax_axis_out_of_range():
    tl.softmax(tl.full((4, 4), 1.0, tl.float32), 2)


@refused(
    """
    TypeMismatchError: 'argmax' expects an axis from -1 to 0 for 1 dimensions, got -2
      kernel+1:5, in argmax_axis_out_of_range
          tl.argmax(tl.arange(0, 16), -2)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def argmax_axis_out_of_range():
    tl.argmax(tl.arange(0, 16), -2)


@refused(
    """
    TypeMismatchError: 'cumsum' expects an axis from -1 to 0 for 1 dimensions, got 1
      kernel+1:5, in scan_axis_out_of_range
          tl.arange(0, 16).cumsum(1)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def scan_axis_out_of_range():
    tl.arange(0, 16).cumsum(1)


@refused(
    """
    TypeMismatchError: 'sum' expects blocks, got fp32
      kernel+1:5, in reduction_of_scalar
          tl.sum(tl.load(x))
          ^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def reduction_of_scalar(x):
    tl.sum(tl.load(x))


@refused(
    """
    TypeMismatchError: 'reshape' expects 16 elements of shape (16,), got shape (8, 4) with 32
      kernel+1:5, in reshape_changes_size
          tl.load(x + tl.arange(0, 16)).reshape(8, 4)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def reshape_changes_size(x):
    tl.load(x + tl.arange(0, 16)).reshape(8, 4)


@refused(
    """
    TypeMismatchError: 'permute' expects every axis of (16, 4) once, got (0, 0)
      kernel+1:5, in permutation_incomplete
          tl.permute(tl.load(x + tl.arange(0, 16)[:, None] + tl.arange(0, 4)[None, :]), (0, 0))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def permutation_incomplete(x):
    tl.permute(tl.load(x + tl.arange(0, 16)[:, None] + tl.arange(0, 4)[None, :]), (0, 0))


@refused(
    """
    TypeMismatchError: 'split' expects a block whose last extent is 2, got shape (16, 4)
      kernel+1:5, in split_of_last_extent_four
          tl.split(tl.load(x + tl.arange(0, 16)[:, None] + tl.arange(0, 4)[None, :]))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: reshape so that the pairs are last: tl.reshape(x, (n // 2, 2))
    """,
    x="*fp32",
)
@blockdsl.jit
def split_of_last_extent_four(x):
    tl.split(tl.load(x + tl.arange(0, 16)[:, None] + tl.arange(0, 4)[None, :]))

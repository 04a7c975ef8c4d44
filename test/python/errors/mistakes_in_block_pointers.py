"""Kernels whose block pointers are not used as they can be."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@refused(
    """
    TypeMismatchError: 'make_block_ptr' expects base to be a pointer, got int32
      kernel+1:5, in block_pointer_of_a_number
          tl.make_block_ptr(n, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: pass the array's first element: a pointer argument
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def block_pointer_of_a_number(x, i, n):
    tl.make_block_ptr(n, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))


@refused(
    """
    TypeMismatchError: 'make_block_ptr' expects 2 strides, one for each dimension, got 1
      kernel+1:5, in block_pointer_with_a_stride_too_few
          tl.make_block_ptr(x, (n, n), (n,), (0, 0), (16, 16), (1, 0))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def block_pointer_with_a_stride_too_few(x, i, n):
    tl.make_block_ptr(x, (n, n), (n,), (0, 0), (16, 16), (1, 0))


@refused(
    """
    TypeMismatchError: 'make_block_ptr' expects extents that are integer scalars, got fp32
      kernel+1:5, in block_pointer_with_float_extents
          tl.make_block_ptr(x, (n, 1.5), (n, 1), (0, 0), (16, 16), (1, 0))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def block_pointer_with_float_extents(x, i, n):
    tl.make_block_ptr(x, (n, 1.5), (n, 1), (0, 0), (16, 16), (1, 0))


@refused(
    """
    TypeMismatchError: 'make_block_ptr' expects offsets of at most 32 bits, got int64
      kernel+1:5, in block_pointer_far_away
          tl.make_block_ptr(x, (n, n), (n, 1), (n.to(tl.int64), 0), (16, 16), (1, 0))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: convert with .to(tl.int32), or use pointers of tl.arange
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def block_pointer_far_away(x, i, n):
    tl.make_block_ptr(x, (n, n), (n, 1), (n.to(tl.int64), 0), (16, 16), (1, 0))


@refused(
    """
    TypeMismatchError: 'make_block_ptr' expects order to have each of (0, 1) once, got (1, 1)
      kernel+1:5, in block_pointer_in_no_order
          tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (16, 16), (1, 1))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def block_pointer_in_no_order(x, i, n):
    tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (16, 16), (1, 1))


@refused(
    """
    TypeMismatchError: 'advance' expects a block pointer, got pointer<fp32>
      kernel+1:9, in advance_of_a_plain_pointer
          x = tl.advance(x, (16,))
              ^^^^^^^^^^^^^^^^^^^^
      hint: make one with tl.make_block_ptr; to a pointer add its offset
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def advance_of_a_plain_pointer(x, i, n):
    x = tl.advance(x, (16,))


@refused(
    """
    TypeMismatchError: 'load' expects boundary_check to hold dimensions from -2 to 1, got 2
      kernel+2:5, in block_pointer_checked_in_a_third_dimension
          tl.load(p, boundary_check=(2,))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def block_pointer_checked_in_a_third_dimension(x, i, n):
    p = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    tl.load(p, boundary_check=(2,))


@refused(
    """
    TypeMismatchError: 'store' expects boundary_check to hold a dimension once, got [0, -2]
      kernel+2:5, in block_pointer_checked_twice
          tl.store(p, 1.0, boundary_check=(0, -2))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def block_pointer_checked_twice(x, i, n):
    p = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    tl.store(p, 1.0, boundary_check=(0, -2))


@refused(
    """
    TypeMismatchError: 'load' expects boundary_check with a block pointer only
      kernel+1:5, in boundary_check_of_a_plain_pointer
          tl.load(x, boundary_check=(0,))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: mask the access, or make a block pointer with tl.make_block_ptr
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def boundary_check_of_a_plain_pointer(x, i, n):
    tl.load(x, boundary_check=(0,))


@refused(
    """
    TypeMismatchError: 'load' expects padding_option with a block pointer only
      kernel+1:5, in padding_of_a_plain_pointer
          tl.load(x, padding_option="zero")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: name what masked-off elements read: other=0.0
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def padding_of_a_plain_pointer(x, i, n):
    tl.load(x, padding_option="zero")


@refused(
    """
    TypeMismatchError: 'load' expects no mask with a block pointer, got one
      kernel+2:5, in mask_of_a_block_pointer
          tl.load(p, mask=n > 0)
          ^^^^^^^^^^^^^^^^^^^^^^
      hint: name the dimensions that may be left in boundary_check
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def mask_of_a_block_pointer(x, i, n):
    p = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    tl.load(p, mask=n > 0)


@refused(
    """
    TypeMismatchError: 'load' expects floats where it pads with NaN, got int32
      kernel+2:5, in padding_of_integers_with_nan
          tl.load(p, boundary_check=0, padding_option="nan")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def padding_of_integers_with_nan(x, i, n):
    p = tl.make_block_ptr(i, (n,), (1,), (0,), (16,), (0,))
    tl.load(p, boundary_check=0, padding_option="nan")


@refused(
    """
    MissingNameError: a block pointer has no attribute 'numel'
      kernel+2:5, in block_pointer_asked_for_its_shape
          p.numel
          ^^^^^^^
      hint: it has advance, load, store, dtype and type
    """,
    x="*fp32",
    i="*i32",
    n="i32",
)
@blockdsl.jit
def block_pointer_asked_for_its_shape(x, i, n):
    p = tl.make_block_ptr(x, (n, n), (n, 1), (0, 0), (16, 16), (1, 0))
    p.numel


@refused(
    """
    KernelSyntaxError: the result of 'advance' is not used
      kernel+2:5, in block_pointer_left_where_it_is
          p.advance((16,))
          ^^^^^^^^^^^^^^^^
      hint: it gives another pointer: p = tl.advance(p, offsets)
    """,
    x="*fp32",
)
@blockdsl.jit
def block_pointer_left_where_it_is(x):
    p = tl.make_block_ptr(x, (64,), (1,), (0,), (16,), (0,))
    p.advance((16,))

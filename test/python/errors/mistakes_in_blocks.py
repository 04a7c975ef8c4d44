"""Kernels that put blocks together, or take them apart, in ways that shapes and types do not allow."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def added(a, b):
    return a + b


@refused(
    """
    TypeMismatchError: 'join' expects two values of one type, got fp32 and int32
      kernel+1:5, in join_of_two_types
          tl.join(tl.load(x + tl.arange(0, 16)), tl.arange(0, 16))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def join_of_two_types(x):
    tl.join(tl.load(x + tl.arange(0, 16)), tl.arange(0, 16))


@refused(
    """
    TypeMismatchError: 'item' expects a block of one element, got shape (16,)
      kernel+1:5, in item_of_many
          tl.load(x + tl.arange(0, 16)).item()
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: reduce it first, as with tl.sum(x)
    """,
    x="*fp32",
)
@blockdsl.jit
def item_of_many(x):
    tl.load(x + tl.arange(0, 16)).item()


@refused(
    """
    TypeMismatchError: 'cat' expects two blocks of one type, got fp32 and int32
      kernel+1:5, in cat_of_two_types
          tl.cat(tl.load(x + tl.arange(0, 16)), tl.arange(0, 16), dim=0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def cat_of_two_types(x):
    tl.cat(tl.load(x + tl.arange(0, 16)), tl.arange(0, 16), dim=0)


@refused(
    """
    TypeMismatchError: 'cat' expects two blocks of one shape, got (16,) and (8,)
      kernel+1:5, in cat_of_two_shapes
          tl.cat(tl.arange(0, 16), tl.arange(0, 8), dim=0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def cat_of_two_shapes():
    tl.cat(tl.arange(0, 16), tl.arange(0, 8), dim=0)


@refused(
    """
    TypeMismatchError: 'cat' with can_reorder expects one dimension, got shape (1, 16)
      kernel+2:5, in reordering_cat_of_matrices
          tl.cat(a, a, can_reorder=True)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def reordering_cat_of_matrices():
    a = tl.arange(0, 16)[None, :]
    tl.cat(a, a, can_reorder=True)


@refused(
    """
    TypeMismatchError: 'gather' expects shapes that differ at axis 0 only, got (4, 16) and (2, 8)
      kernel+1:5, in gather_of_other_shapes
          tl.gather(tl.full((4, 16), 1, tl.int32), tl.full((2, 8), 1, tl.int32), 0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def gather_of_other_shapes():
    tl.gather(tl.full((4, 16), 1, tl.int32), tl.full((2, 8), 1, tl.int32), 0)


@refused(
    """
    TypeMismatchError: 'histogram' expects one dimension, got shape (1, 16)
      kernel+1:5, in histogram_of_a_matrix
          tl.histogram(tl.arange(0, 16)[None, :], 16)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def histogram_of_a_matrix():
    tl.histogram(tl.arange(0, 16)[None, :], 16)


@refused(
    """
    TypeMismatchError: 'histogram' expects integers, got fp32
      kernel+1:5, in histogram_of_floats
          tl.histogram(tl.load(x + tl.arange(0, 16)), 16)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def histogram_of_floats(x):
    tl.histogram(tl.load(x + tl.arange(0, 16)), 16)


@refused(
    """
    TypeMismatchError: 'histogram' expects a mask of bools, got int32
      kernel+1:5, in histogram_with_a_number_as_mask
          tl.histogram(tl.arange(0, 16), 16, mask=tl.arange(0, 16))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def histogram_with_a_number_as_mask():
    tl.histogram(tl.arange(0, 16), 16, mask=tl.arange(0, 16))


@refused(
    """
    TypeMismatchError: 'squeeze' expects an extent of 1 at axis 0, got shape (16,)
      kernel+1:5, in squeeze_of_an_extent
          tl.arange(0, 16).squeeze(0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def squeeze_of_an_extent():
    tl.arange(0, 16).squeeze(0)


@refused(
    """
    TypeMismatchError: 'broadcast_to' cannot bring shape (16,) to (1,)
      kernel+1:5, in broadcast_to_a_smaller_shape
          tl.broadcast_to(tl.arange(0, 16), (1,))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def broadcast_to_a_smaller_shape():
    tl.broadcast_to(tl.arange(0, 16), (1,))


@refused(
    """
    TypeMismatchError: 'expand_dims' expects each axis once, got (0, 0)
      kernel+1:5, in axis_expanded_twice
          tl.expand_dims(tl.arange(0, 16), (0, 0))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def axis_expanded_twice():
    tl.expand_dims(tl.arange(0, 16), (0, 0))


@refused(
    """
    TypeMismatchError: 'trans' expects a block of two dimensions or more, got shape (16,)
      kernel+1:5, in transpose_of_a_vector
          tl.trans(tl.arange(0, 16))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def transpose_of_a_vector():
    tl.trans(tl.arange(0, 16))


@refused(
    """
    TypeMismatchError: a block of 1 dimensions is indexed with 2 of them
      kernel+1:5, in index_with_too_many
          tl.arange(0, 16)[:, :]
          ^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def index_with_too_many():
    tl.arange(0, 16)[:, :]


@refused(
    """
    TypeMismatchError: 'where' expects two values of one type, got pointer<fp32> and fp32
      kernel+1:5, in where_of_a_pointer_and_a_number
          tl.where(tl.arange(0, 16) > 3, x, 1.0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def where_of_a_pointer_and_a_number(x):
    tl.where(tl.arange(0, 16) > 3, x, 1.0)


@refused(
    """
    TypeMismatchError: 'max' expects several values, got one of type <[16], fp32>
      kernel+1:5, in python_max_of_a_block
          max(tl.load(x + tl.arange(0, 16)))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use tl.max(x, axis) for the elements of a block
    """,
    x="*fp32",
)
@blockdsl.jit
def python_max_of_a_block(x):
    max(tl.load(x + tl.arange(0, 16)))


@refused(
    """
    TypeMismatchError: 'multiple_of' expects one number for each of 1 dimensions, got 2
      kernel+1:5, in multiple_of_too_many
          tl.multiple_of(tl.load(x + tl.arange(0, 16)), (8, 8))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def multiple_of_too_many(x):
    tl.multiple_of(tl.load(x + tl.arange(0, 16)), (8, 8))


@refused(
    """
    TypeMismatchError: 'reduce' expects blocks, got int32
      kernel+1:5, in combination_of_a_scalar
          tl.reduce(tl.program_id(0), 0, added)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def combination_of_a_scalar():
    tl.reduce(tl.program_id(0), 0, added)


@refused(
    """
    TypeMismatchError: 'reduce' expects blocks of one shape, got (16,) and (8,)
      kernel+1:5, in reduce_of_two_shapes
          tl.reduce((tl.arange(0, 16), tl.arange(0, 8)), 0, added)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def reduce_of_two_shapes():
    tl.reduce((tl.arange(0, 16), tl.arange(0, 8)), 0, added)


@refused(
    """
    TypeMismatchError: positions need an axis, got None for shape (4, 4)
      kernel+1:5, in position_without_an_axis
          tl.max(tl.full((4, 4), 1, tl.int32), None, return_indices=True)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: name an axis, or ravel
    """,
)
@blockdsl.jit
def position_without_an_axis():
    tl.max(tl.full((4, 4), 1, tl.int32), None, return_indices=True)


@refused(
    """
    TypeMismatchError: 'associative_scan' expects blocks of one shape, got <[16], int32>, <[8], int32>
      kernel+1:5, in scan_of_two_shapes
          tl.associative_scan((tl.arange(0, 16), tl.arange(0, 8)), 0, added)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def scan_of_two_shapes():
    tl.associative_scan((tl.arange(0, 16), tl.arange(0, 8)), 0, added)


@refused(
    """
    TypeMismatchError: 'dot' expects operands of one rank and batch, got (2, 16, 16) and (4, 16, 16)
      kernel+1:5, in dot_of_two_batches
          tl.dot(tl.full((2, 16, 16), 1, tl.float16), tl.full((4, 16, 16), 1, tl.float16))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def dot_of_two_batches():
    tl.dot(tl.full((2, 16, 16), 1, tl.float16), tl.full((4, 16, 16), 1, tl.float16))


@refused(
    """
    TypeMismatchError: 'dot' expects lhs of int8, uint8, fp16, bf16, fp32, fp64 or an 8-bit float, got int32
      kernel+1:5, in dot_of_wide_integers
          tl.dot(tl.full((16, 16), 1, tl.int32), tl.full((16, 16), 1, tl.int32))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: convert both operands with .to(tl.float16)
    """,
)
@blockdsl.jit
def dot_of_wide_integers():
    tl.dot(tl.full((16, 16), 1, tl.int32), tl.full((16, 16), 1, tl.int32))


@refused(
    """
    TypeMismatchError: 'dot' expects signed integers of 8 bits, got uint8
      kernel+1:5, in dot_of_unsigned_integers
          tl.dot(tl.full((16, 16), 1, tl.uint8), tl.full((16, 16), 1, tl.uint8))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use tl.int8
    """,
)
@blockdsl.jit
def dot_of_unsigned_integers():
    tl.dot(tl.full((16, 16), 1, tl.uint8), tl.full((16, 16), 1, tl.uint8))

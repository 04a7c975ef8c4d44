"""Tensor descriptors that cannot be made, and what cannot be done through one."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects base to be a pointer, got int32
      kernel+1:5, in descriptor_of_a_number
          tl.make_tensor_descriptor(n, [n], [1], [64])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: pass the array's first element: a pointer argument
    """,
    n="i32",
)
@blockdsl.jit
def descriptor_of_a_number(n):
    tl.make_tensor_descriptor(n, [n], [1], [64])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects base to be a pointer, got <[16], pointer<fp32>>
      kernel+1:5, in descriptor_of_a_block_of_pointers
          tl.make_tensor_descriptor(x + tl.arange(0, 16), [64], [1], [64])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: pass the array's first element: a pointer argument
    """,
    x="*fp32",
)
@blockdsl.jit
def descriptor_of_a_block_of_pointers(x):
    tl.make_tensor_descriptor(x + tl.arange(0, 16), [64], [1], [64])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects elements that are numbers of at least 8 bits, got int1
      kernel+1:5, in descriptor_of_bools
          tl.make_tensor_descriptor(x, [64], [1], [64])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*i1",
)
@blockdsl.jit
def descriptor_of_bools(x):
    tl.make_tensor_descriptor(x, [64], [1], [64])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects 1 to 5 dimensions, got 0
      kernel+1:5, in descriptor_of_nothing
          tl.make_tensor_descriptor(x, [], [], [])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def descriptor_of_nothing(x):
    tl.make_tensor_descriptor(x, [], [], [])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects shape to be a list, got int32
      kernel+1:5, in descriptor_of_a_number_as_shape
          tl.make_tensor_descriptor(x, n, [1], [64])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: one entry for each dimension, such as [M, N]
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def descriptor_of_a_number_as_shape(x, n):
    tl.make_tensor_descriptor(x, n, [1], [64])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects strides to have 2 entries like shape, got 1
      kernel+1:5, in descriptor_of_too_few_strides
          tl.make_tensor_descriptor(x, [n, n], [1], [16, 64])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def descriptor_of_too_few_strides(x, n):
    tl.make_tensor_descriptor(x, [n, n], [1], [16, 64])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects block_shape to have 2 entries like shape, got 1
      kernel+1:5, in descriptor_of_too_few_extents
          tl.make_tensor_descriptor(x, [n, n], [64, 1], [64])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def descriptor_of_too_few_extents(x, n):
    tl.make_tensor_descriptor(x, [n, n], [64, 1], [64])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects shape of integer scalars, got fp32
      kernel+1:5, in descriptor_of_float_extents
          tl.make_tensor_descriptor(x, [n], [1], [64])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: the launch passes a float for 'n': pass an integer
    """,
    x="*fp32",
    n="fp32",
)
@blockdsl.jit
def descriptor_of_float_extents(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [64])


@refused(
    """
    TypeMismatchError: a shape expects compile-time integers, got tensor<int32> in (tensor<int32>,)
      kernel+1:5, in descriptor_of_a_runtime_block
          tl.make_tensor_descriptor(x, [n], [1], [n])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: declare the parameter as `n: tl.constexpr`; for any number of elements use a constant extent, and mask=offsets < n
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def descriptor_of_a_runtime_block(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [n])


@refused(
    """
    TypeMismatchError: a block's extents must be powers of two, got 48 in (48,)
      kernel+1:5, in descriptor_of_an_odd_block
          tl.make_tensor_descriptor(x, [n], [1], [48])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use 64 and mask the rest off
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def descriptor_of_an_odd_block(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [48])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects blocks of at least 16 bytes in the last dimension, got 4 elements of 2 bytes
      kernel+1:5, in descriptor_of_a_narrow_block
          tl.make_tensor_descriptor(x, [n, n], [64, 1], [16, 4])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use 8 elements or more
    """,
    x="*fp16",
    n="i32",
)
@blockdsl.jit
def descriptor_of_a_narrow_block(x, n):
    tl.make_tensor_descriptor(x, [n, n], [64, 1], [16, 4])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects a last stride of 1, got 2
      kernel+1:5, in descriptor_of_columns
          tl.make_tensor_descriptor(x, [n, n], [64, 2], [16, 16])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: the last dimension is contiguous: write a literal 1; for other layouts use pointers
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def descriptor_of_columns(x, n):
    tl.make_tensor_descriptor(x, [n, n], [64, 2], [16, 16])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects a last stride of 1, got a runtime value
      kernel+1:5, in descriptor_of_a_runtime_stride
          tl.make_tensor_descriptor(x, [n, n], [1, n], [16, 16])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: the last dimension is contiguous: write a literal 1; for other layouts use pointers
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def descriptor_of_a_runtime_stride(x, n):
    tl.make_tensor_descriptor(x, [n, n], [1, n], [16, 16])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects strides that are multiples of 16 bytes, got 63 elements of 2 bytes
      kernel+1:5, in descriptor_of_unaligned_rows
          tl.make_tensor_descriptor(x, [n, n], [63, 1], [16, 16])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: pad the rows, or use pointers and masks
    """,
    x="*fp16",
    n="i32",
)
@blockdsl.jit
def descriptor_of_unaligned_rows(x, n):
    tl.make_tensor_descriptor(x, [n, n], [63, 1], [16, 16])


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects padding_option to be one of 'zero', 'nan', got 'one'
      kernel+1:5, in descriptor_of_another_padding
          tl.make_tensor_descriptor(x, [n], [1], [64], padding_option="one")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def descriptor_of_another_padding(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [64], padding_option="one")


@refused(
    """
    TypeMismatchError: 'make_tensor_descriptor' expects floats where padding_option is 'nan', got int32
      kernel+1:5, in descriptor_of_integers_padded_with_nan
          tl.make_tensor_descriptor(x, [n], [1], [64], padding_option="nan")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*i32",
    n="i32",
)
@blockdsl.jit
def descriptor_of_integers_padded_with_nan(x, n):
    tl.make_tensor_descriptor(x, [n], [1], [64], padding_option="nan")


@refused(
    """
    MissingNameError: a tensor descriptor has no attribute 'prefetch'
      kernel+1:5, in descriptor_has_no_such_attribute
          x.prefetch([0])
          ^^^^^^^^^^
      hint: it has load, store, gather, scatter, atomic_add, atomic_min, atomic_max, atomic_and, atomic_or, \
atomic_xor, block_shape, dtype, shape, strides and type
    """,
    x="tensordesc<fp32[64]>",
)
@blockdsl.jit
def descriptor_has_no_such_attribute(x):
    x.prefetch([0])


@refused(
    """
    TypeMismatchError: an operator expects numbers and blocks, got tensordesc<fp32[64]>
      kernel+1:5, in descriptor_is_no_operand
          x + 1
          ^^^^^
      hint: load a block: desc.load([0, 0])
    """,
    x="tensordesc<fp32[64]>",
)
@blockdsl.jit
def descriptor_is_no_operand(x):
    x + 1


@refused(
    """
    TypeMismatchError: 'z' has type tensordesc<fp32[64]> after 'if' and tensordesc<fp32[32]> after 'else'
      kernel+1:5, in descriptors_of_two_blocks
          if n > 0:
          ^^^^^^^^
      hint: use another name
    """,
    x="tensordesc<fp32[64]>",
    y="tensordesc<fp32[32]>",
    n="i32",
)
@blockdsl.jit
def descriptors_of_two_blocks(x, y, n):
    if n > 0:
        z = x
    else:
        z = y
    z.load([0])

"""Loads, stores, gathers and scatters through tensor descriptors that do not fit."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@refused(
    """
    TypeMismatchError: 'load_tensor_descriptor' expects a tensor descriptor, got pointer<fp32>
      kernel+1:5, in load_of_no_descriptor
          tl.load_tensor_descriptor(x, [0])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: make one with tl.make_tensor_descriptor, or pass a TensorDescriptor to the kernel
    """,
    x="*fp32",
)
@blockdsl.jit
def load_of_no_descriptor(x):
    tl.load_tensor_descriptor(x, [0])


@refused(
    """
    TypeMismatchError: 'load' expects a pointer or a block of pointers, got tensordesc<fp32[64]>
      kernel+1:5, in load_of_a_descriptor_as_of_a_pointer
          tl.load(x)
          ^^^^^^^^^^
      hint: add offsets to a pointer argument: x_ptr + tl.arange(0, BLOCK)
    """,
    x="tensordesc<fp32[64]>",
)
@blockdsl.jit
def load_of_a_descriptor_as_of_a_pointer(x):
    tl.load(x)


@refused(
    """
    TypeMismatchError: 'load_tensor_descriptor' expects 2 offsets for blocks of shape (16, 64), got 1
      kernel+1:5, in load_at_too_few_offsets
          x.load([0])
          ^^^^^^^^^^^
    """,
    x="tensordesc<fp32[16,64]>",
)
@blockdsl.jit
def load_at_too_few_offsets(x):
    x.load([0])


@refused(
    """
    TypeMismatchError: 'load_tensor_descriptor' expects offsets that are integer scalars, got <[64], int32>
      kernel+1:5, in load_at_a_block_of_offsets
          x.load([tl.arange(0, 64)])
          ^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: a block's place is that of its first element
    """,
    x="tensordesc<fp32[64]>",
)
@blockdsl.jit
def load_at_a_block_of_offsets(x):
    x.load([tl.arange(0, 64)])


@refused(
    """
    TypeMismatchError: 'load_tensor_descriptor' expects offsets of at most 32 bits, got int64
      kernel+1:5, in load_at_wide_offsets
          x.load([i])
          ^^^^^^^^^^^
      hint: convert with .to(tl.int32), or use pointers
    """,
    x="tensordesc<fp32[64]>",
    i="i64",
)
@blockdsl.jit
def load_at_wide_offsets(x, i):
    x.load([i])


@refused(
    """
    TypeMismatchError: 'store_tensor_descriptor' expects a value of shape (16, 64), got (64,)
      kernel+1:5, in store_of_another_shape
          x.store([0, 0], tl.zeros((64,), tl.float32))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use tl.broadcast_to or tl.reshape
    """,
    x="tensordesc<fp32[16,64]>",
)
@blockdsl.jit
def store_of_another_shape(x):
    x.store([0, 0], tl.zeros((64,), tl.float32))


@refused(
    """
    TypeMismatchError: 'store_tensor_descriptor' missing a required argument: 'value'
      kernel+1:5, in store_without_a_value
          x.store([0])
          ^^^^^^^^^^^^
      hint: its signature is store_tensor_descriptor(desc, offsets, value)
    """,
    x="tensordesc<fp32[64]>",
)
@blockdsl.jit
def store_without_a_value(x):
    x.store([0])


@refused(
    """
    TypeMismatchError: 'store_tensor_descriptor' expects a descriptor that may be written, got one of a const pointer
      kernel+2:5, in store_through_const
          desc.store([0], tl.zeros((64,), tl.float32))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: drop the tl.const annotation of the parameter
    """,
    x="*kfp32",
    n="i32",
)
@blockdsl.jit
def store_through_const(x, n):
    desc = tl.make_tensor_descriptor(x, [n], [1], [64])
    desc.store([0], tl.zeros((64,), tl.float32))


@refused(
    """
    TypeMismatchError: 'descriptor_gather' expects a descriptor of blocks of one row, got tensordesc<fp32[16,64]>
      kernel+1:5, in gather_of_blocks
          x.gather(tl.arange(0, 32), 0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: make it with block_shape=[1, N]
    """,
    x="tensordesc<fp32[16,64]>",
)
@blockdsl.jit
def gather_of_blocks(x):
    x.gather(tl.arange(0, 32), 0)


@refused(
    """
    TypeMismatchError: 'descriptor_gather' expects a block of at least 8 rows as int16 or int32, got <[4], int32>
      kernel+1:5, in gather_of_few_rows
          x.gather(tl.arange(0, 4), 0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="tensordesc<fp32[1,64]>",
)
@blockdsl.jit
def gather_of_few_rows(x):
    x.gather(tl.arange(0, 4), 0)


@refused(
    """
    TypeMismatchError: 'descriptor_gather' expects at least 16 columns of fp16, got 8
      kernel+1:5, in gather_of_few_columns
          x.gather(tl.arange(0, 8), 0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="tensordesc<fp16[1,8]>",
)
@blockdsl.jit
def gather_of_few_columns(x):
    x.gather(tl.arange(0, 8), 0)


@refused(
    """
    TypeMismatchError: 'descriptor_scatter' expects a value of shape (8, 64), got (4, 64)
      kernel+1:5, in scatter_of_another_shape
          x.scatter(tl.zeros((4, 64), tl.float32), tl.arange(0, 8), 0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use tl.broadcast_to or tl.reshape
    """,
    x="tensordesc<fp32[1,64]>",
)
@blockdsl.jit
def scatter_of_another_shape(x):
    x.scatter(tl.zeros((4, 64), tl.float32), tl.arange(0, 8), 0)


@refused(
    """
    TypeMismatchError: 'descriptor_atomic_min' expects elements of int32, uint32, int64, uint64, fp16, bf16, got fp32
      kernel+1:5, in smallest_of_floats
          x.atomic_min([0, 0], x.load([0, 0]))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="tensordesc<fp32[16,64]>",
)
@blockdsl.jit
def smallest_of_floats(x):
    x.atomic_min([0, 0], x.load([0, 0]))


@refused(
    """
    TypeMismatchError: 'descriptor_atomic_or' expects a value of shape (16, 64), got (8, 64)
      kernel+1:5, in update_with_half_a_block
          x.atomic_or([0, 0], tl.zeros((8, 64), tl.int32))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use tl.broadcast_to or tl.reshape
    """,
    x="tensordesc<i32[16,64]>",
)
@blockdsl.jit
def update_with_half_a_block(x):
    x.atomic_or([0, 0], tl.zeros((8, 64), tl.int32))

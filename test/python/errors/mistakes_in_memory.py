"""Loads, stores and arithmetic of pointers that cannot be meant."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@refused(
    """
    TypeMismatchError: 'load' expects a pointer or a block of pointers, got fp32
      kernel+1:5, in load_from_a_number
          tl.load(x)
          ^^^^^^^^^^
      hint: the launch passes a number for 'x': pass a tensor
    """,
    x="fp32",
)
@blockdsl.jit
def load_from_a_number(x):
    tl.load(x)


@refused(
    """
    TypeMismatchError: 'load' expects a mask where 'other' is given, got none
      kernel+1:5, in other_without_mask
          tl.load(x + tl.arange(0, 16), other=0.0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: other is what masked-off elements read
    """,
    x="*fp32",
)
@blockdsl.jit
def other_without_mask(x):
    tl.load(x + tl.arange(0, 16), other=0.0)


@refused(
    """
    TypeMismatchError: 'load' expects a mask of bools, got int32
      kernel+2:5, in mask_of_integers
          tl.load(x + at, mask=at)
          ^^^^^^^^^^^^^^^^^^^^^^^^
      hint: compare: offsets < n
    """,
    x="*fp32",
)
@blockdsl.jit
def mask_of_integers(x):
    at = tl.arange(0, 16)
    tl.load(x + at, mask=at)


@refused(
    """
    TypeMismatchError: 'load' expects mask to broadcast to the pointers' shape (16,), got (32, 1)
      kernel+1:5, in mask_larger_than_pointers
          tl.load(x + tl.arange(0, 16), mask=tl.arange(0, 32)[:, None] < 4)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: broadcast the pointers with the missing offsets first
    """,
    x="*fp32",
)
@blockdsl.jit
def mask_larger_than_pointers(x):
    tl.load(x + tl.arange(0, 16), mask=tl.arange(0, 32)[:, None] < 4)


@refused(
    """
    TypeMismatchError: 'load' expects a scalar mask with a scalar pointer, got a block of shape (16,)
      kernel+1:5, in block_mask_for_scalar_pointer
          tl.load(x, mask=tl.arange(0, 16) < 4)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: make the pointer a block: pointer + tl.arange(0, BLOCK)
    """,
    x="*fp32",
)
@blockdsl.jit
def block_mask_for_scalar_pointer(x):
    tl.load(x, mask=tl.arange(0, 16) < 4)


@refused(
    """
    TypeMismatchError: 'store' expects a scalar value with a scalar pointer, got a block of shape (16,)
      kernel+1:5, in store_block_through_scalar_pointer
          tl.store(x, tl.zeros((16,), tl.float32))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: make the pointer a block: pointer + tl.arange(0, BLOCK)
    """,
    x="*fp32",
)
@blockdsl.jit
def store_block_through_scalar_pointer(x):
    tl.store(x, tl.zeros((16,), tl.float32))


@refused(
    """
    TypeMismatchError: 'store' expects a pointer that may be written, got a const_pointer<fp32>
      kernel+1:5, in store_through_const_pointer
          tl.store(x, 1.0)
          ^^^^^^^^^^^^^^^^
      hint: drop the tl.const annotation of the parameter
    """,
    x="*kfp32",
)
@blockdsl.jit
def store_through_const_pointer(x):
    tl.store(x, 1.0)


@refused(
    """
    TypeMismatchError: 'load' expects cache_modifier to be one of '.ca', '.cg', '.cs', '.cv', got '.cz'
      kernel+1:5, in cache_modifier_misspelled
          tl.load(x, cache_modifier=".cz")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def cache_modifier_misspelled(x):
    tl.load(x, cache_modifier=".cz")


@refused(
    """
    TypeMismatchError: '+' expects an integer offset to a pointer, got fp32
      kernel+1:13, in pointer_plus_float
          tl.load(x + 1.5)
                  ^^^^^^^
      hint: convert the offset with .to(tl.int32)
    """,
    x="*fp32",
)
@blockdsl.jit
def pointer_plus_float(x):
    tl.load(x + 1.5)


@refused(
    """
    TypeMismatchError: '+' cannot combine two pointers, got pointer<fp32> and pointer<fp32>
      kernel+1:13, in pointer_plus_pointer
          tl.load(x + x)
                  ^^^^^
      hint: load both, as in tl.load(x_ptr) + tl.load(y_ptr)
    """,
    x="*fp32",
)
@blockdsl.jit
def pointer_plus_pointer(x):
    tl.load(x + x)


@refused(
    """
    TypeMismatchError: '>' expects numbers, got pointer<fp32> and int32
      kernel+1:21, in pointer_compared
          tl.load(x, mask=x > 0)
                          ^^^^^
      hint: the launch passes a tensor for 'x', which is a pointer here: pass a number, or load elements first, as in tl.load(x)
    """,
    x="*fp32",
)
@blockdsl.jit
def pointer_compared(x):
    tl.load(x, mask=x > 0)


@blockdsl.jit
def stored_as_it_goes(x, out_ptr):
    tl.store(out_ptr, x)
    return x


@refused(
    """
    TypeMismatchError: 'store' is not allowed in the function of 'tt.map_elementwise', which has to compute results from its arguments and to do nothing else
      elsewhere:5, in stored_as_it_goes  <- called from kernel+2:18
          tl.store(out_ptr, x)
          ^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def store_in_map_elementwise(x):
    at = x + tl.arange(0, 16)
    tl.store(at, tl.map_elementwise(stored_as_it_goes, tl.load(at), at))

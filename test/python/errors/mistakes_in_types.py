"""Kernels whose types, shapes or values do not fit."""

from refusals import refused

import blockdsl
import blockdsl.language as tl
from blockdsl.language.extra import libdevice


@refused(
    """
    TypeMismatchError: 'dot' expects lhs columns (8) to equal rhs rows (16)
      kernel+3:9, in dot_inner_extents_differ
          z = tl.dot(x, y)
              ^^^^^^^^^^^^
      hint: the shapes are (16, 8) and (16, 8); transpose one with tl.trans
    """,
    a="*fp32",
    b="*fp32",
)
@blockdsl.jit
def dot_inner_extents_differ(a, b):
    x = tl.load(a + tl.arange(0, 16)[:, None] * 8 + tl.arange(0, 8)[None, :])
    y = tl.load(b + tl.arange(0, 16)[:, None] * 8 + tl.arange(0, 8)[None, :])
    z = tl.dot(x, y)
    tl.store(a, tl.sum(z))


@refused(
    """
    TypeMismatchError: 'dot' expects operands of one type, got fp16 and fp32
      kernel+2:5, in dot_types_differ
          tl.dot(a, tl.full((16, 16), 1, tl.float32))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: convert one operand with .to(...)
    """,
)
@blockdsl.jit
def dot_types_differ():
    a = tl.full((16, 16), 1, tl.float16)
    tl.dot(a, tl.full((16, 16), 1, tl.float32))


@refused(
    """
    TypeMismatchError: 'dot' expects lhs to be a block of two or three dimensions, got <[16], fp16>
      kernel+2:5, in dot_of_vectors
          tl.dot(a, a)
          ^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def dot_of_vectors():
    a = tl.full((16,), 1, tl.float16)
    tl.dot(a, a)


@refused(
    """
    TypeMismatchError: 'dot' expects an accumulator of shape (16, 16), got (16, 32)
      kernel+2:5, in dot_accumulator_of_another_shape
          tl.dot(a, a, tl.zeros((16, 32), tl.float32))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def dot_accumulator_of_another_shape():
    a = tl.full((16, 16), 1, tl.float16)
    tl.dot(a, a, tl.zeros((16, 32), tl.float32))


@refused(
    """
    TypeMismatchError: 'dot' expects an accumulator of fp32 for operands of fp32, got fp16
      kernel+2:5, in dot_accumulator_of_another_type
          tl.dot(a, a, tl.zeros((16, 16), tl.float16))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: start from tl.zeros((16, 16), tl.float32)
    """,
)
@blockdsl.jit
def dot_accumulator_of_another_type():
    a = tl.full((16, 16), 1, tl.float32)
    tl.dot(a, a, tl.zeros((16, 16), tl.float16))


@refused(
    """
    TypeMismatchError: 'dot' expects out_dtype float32 or float16, got bf16
      kernel+2:5, in dot_into_bfloat16
          tl.dot(a, a, out_dtype=tl.bfloat16)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: convert the result with .to(tl.bfloat16)
    """,
)
@blockdsl.jit
def dot_into_bfloat16():
    a = tl.full((16, 16), 1, tl.bfloat16)
    tl.dot(a, a, out_dtype=tl.bfloat16)


@refused(
    """
    TypeMismatchError: 'dot' expects input_precision to be one of 'tf32', 'tf32x3', 'ieee', 'bf16x3', 'bf16x6', got 'float32'
      kernel+2:5, in dot_precision_misspelled
          tl.dot(a, a, input_precision="float32")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def dot_precision_misspelled():
    a = tl.full((16, 16), 1, tl.float32)
    tl.dot(a, a, input_precision="float32")


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
      hint: declare it as `tl.constexpr`
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
      hint: declare the parameter as `tl.constexpr`
    """,
    n="i32",
)
@blockdsl.jit
def shape_of_runtime_extent(n):
    tl.zeros((n,), tl.float32)


@refused(
    """
    TypeMismatchError: 'load' expects a pointer or a block of pointers, got fp32
      kernel+1:5, in load_from_a_number
          tl.load(x)
          ^^^^^^^^^^
      hint: add offsets to a pointer argument: x_ptr + tl.arange(0, BLOCK)
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
    TypeMismatchError: 'store' expects a pointer that may be written, got a const pointer<fp32>
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
      hint: subtract their integer offsets
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
      hint: add an integer offset to a pointer, then load
    """,
    x="*fp32",
)
@blockdsl.jit
def pointer_compared(x):
    tl.load(x, mask=x > 0)


@refused(
    """
    TypeMismatchError: 'exp' expects fp32 or fp64, got fp16
      kernel+1:5, in exp_of_half
          tl.exp(tl.load(x + tl.arange(0, 16)))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: convert with .to(tl.float32)
    """,
    x="*fp16",
)
@blockdsl.jit
def exp_of_half(x):
    tl.exp(tl.load(x + tl.arange(0, 16)))


@refused(
    """
    TypeMismatchError: 'tanhf' expects arguments of types (fp32) or (fp64), got (int32)
      kernel+1:5, in libdevice_of_integers
          libdevice.tanh(tl.load(x + tl.arange(0, 16)))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: convert with .to(tl.float32)
    """,
    x="*i32",
)
@blockdsl.jit
def libdevice_of_integers(x):
    libdevice.tanh(tl.load(x + tl.arange(0, 16)))


@refused(
    """
    TypeMismatchError: '//' expects integers, got fp32
      kernel+2:17, in floor_division_of_floats
          tl.store(x, a // 2.0)
                      ^^^^^^^^
      hint: use tl.floor(x / y) for floats
    """,
    x="*fp32",
)
@blockdsl.jit
def floor_division_of_floats(x):
    a = tl.load(x)
    tl.store(x, a // 2.0)


@refused(
    """
    TypeMismatchError: '//' expects operands of one signedness, got uint32 and int32
      kernel+1:17, in division_of_mixed_signs
          tl.store(x, tl.load(x) // n)
                      ^^^^^^^^^^^^^^^
      hint: convert one with .to(...); a quotient of mixed signs is rarely what is meant
    """,
    x="*u32",
    n="i32",
)
@blockdsl.jit
def division_of_mixed_signs(x, n):
    tl.store(x, tl.load(x) // n)


@refused(
    """
    TypeMismatchError: '+' expects a number from -128 to 127 for int8, got 1000
      kernel+1:17, in literal_out_of_range
          tl.store(x, tl.load(x) + 1000)
                      ^^^^^^^^^^^^^^^^^
      hint: convert the other operand to a wider type with .to(...)
    """,
    x="*i8",
)
@blockdsl.jit
def literal_out_of_range(x):
    tl.store(x, tl.load(x) + 1000)


@refused(
    """
    TypeMismatchError: '+' cannot combine an unsigned block of uint8 with the negative number -1
      kernel+1:17, in negative_literal_with_unsigned
          tl.store(x, tl.load(x) + (-1))
                      ^^^^^^^^^^^^^^^^^
      hint: convert the block to a signed type with .to(...)
    """,
    x="*u8",
)
@blockdsl.jit
def negative_literal_with_unsigned(x):
    tl.store(x, tl.load(x) + (-1))


@refused(
    """
    TypeMismatchError: '&' expects integers or bools, got fp32 and int32
      kernel+1:17, in bits_of_floats
          tl.store(x, tl.load(x) & 1)
                      ^^^^^^^^^^^^^^
      hint: compare first, as in (x > 0) & (y > 0)
    """,
    x="*fp32",
)
@blockdsl.jit
def bits_of_floats(x):
    tl.store(x, tl.load(x) & 1)


@refused(
    """
    TypeMismatchError: 'and' expects bools, got int32
      kernel+1:8, in logic_of_integers
          if n and n > 3:
             ^^^^^^^^^^^
      hint: compare with != 0; for bits use &, | and ~
    """,
    n="i32",
)
@blockdsl.jit
def logic_of_integers(n):
    if n and n > 3:
        tl.device_print("n", n)


@refused(
    """
    TypeMismatchError: 'reduce' expects an axis from -1 to 0 for 1 dimensions, got 1
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
    TypeMismatchError: 'reduce' expects blocks, got fp32
      kernel+1:5, in reduction_of_scalar
          tl.sum(tl.load(x))
          ^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def reduction_of_scalar(x):
    tl.sum(tl.load(x))


@blockdsl.jit
def widened(a, b):
    return (a + b).to(tl.float64)


@refused(
    """
    TypeMismatchError: 'reduce' expects combine_fn to return (fp32), got (fp64)
      kernel+1:5, in combine_function_changes_type
          tl.reduce(tl.load(x + tl.arange(0, 16)), 0, widened)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: the combined value has the type of the elements
    """,
    x="*fp32",
)
@blockdsl.jit
def combine_function_changes_type(x):
    tl.reduce(tl.load(x + tl.arange(0, 16)), 0, widened)


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


@refused(
    """
    TypeMismatchError: 'cast' with bitcast expects types of one width, got fp32 (32 bits) and int16 (16 bits)
      kernel+1:5, in bitcast_to_another_width
          tl.load(x).to(tl.int16, bitcast=True)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def bitcast_to_another_width(x):
    tl.load(x).to(tl.int16, bitcast=True)


@refused(
    """
    TypeMismatchError: 'cast' expects fp_downcast_rounding only where a float gets narrower, got fp32 to fp64
      kernel+1:5, in rounding_of_a_widening_cast
          tl.load(x).to(tl.float64, fp_downcast_rounding="rtz")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def rounding_of_a_widening_cast(x):
    tl.load(x).to(tl.float64, fp_downcast_rounding="rtz")


@refused(
    """
    TypeMismatchError: 'cast' expects a dtype, got 'float'
      kernel+1:5, in cast_to_no_type
          tl.full((16,), 1, tl.int32).to("float")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: such as tl.float32
    """,
)
@blockdsl.jit
def cast_to_no_type():
    tl.full((16,), 1, tl.int32).to("float")


@refused(
    """
    TypeMismatchError: a grid has the axes 0, 1 and 2, got 3
      kernel+1:5, in grid_axis_three
          tl.program_id(3)
          ^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def grid_axis_three():
    tl.program_id(3)


@refused(
    """
    TypeMismatchError: 'gather' expects integer indices, got fp32
      kernel+2:5, in gather_of_float_indices
          tl.gather(a, a, 0)
          ^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def gather_of_float_indices(x):
    a = tl.load(x + tl.arange(0, 16))
    tl.gather(a, a, 0)


@refused(
    """
    TypeMismatchError: 'store' missing a required argument: 'value'
      kernel+1:5, in missing_argument
          tl.store(x)
          ^^^^^^^^^^^
      hint: its signature is store(pointer, value, mask=None, cache_modifier='', eviction_policy='')
    """,
    x="*fp32",
)
@blockdsl.jit
def missing_argument(x):
    tl.store(x)


@refused(
    """
    TypeMismatchError: 'load' got an unexpected keyword argument 'masks'
      kernel+1:5, in unknown_argument
          tl.load(x, masks=None)
          ^^^^^^^^^^^^^^^^^^^^^^
      hint: its signature is load(pointer, mask=None, other=None, cache_modifier='', eviction_policy='', volatile=False)
    """,
    x="*fp32",
)
@blockdsl.jit
def unknown_argument(x):
    tl.load(x, masks=None)

"""Kernels whose types, shapes or values do not fit."""

from refusals import refused

import blockdsl
import blockdsl.language as tl
from blockdsl.language.extra import libdevice


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
    TypeMismatchError: '<<' expects integers or bools, got fp32 and int32
      kernel+1:17, in floats_that_are_shifted
          tl.store(x, tl.load(x) << 1)
                      ^^^^^^^^^^^^^^^
      hint: convert with .to(tl.int32) before, or multiply by a power of two
    """,
    x="*fp32",
)
@blockdsl.jit
def floats_that_are_shifted(x):
    tl.store(x, tl.load(x) << 1)


@refused(
    """
    TypeMismatchError: 'cast' expects a dtype, got 'fp16'
      kernel+1:17, in type_by_its_printed_name
          tl.store(x, tl.load(x).to("fp16"))
                      ^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.float16
    """,
    x="*fp32",
)
@blockdsl.jit
def type_by_its_printed_name(x):
    tl.store(x, tl.load(x).to("fp16"))


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
      hint: write tl.float32
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
      hint: write tl.program_id(axis=0)
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
      hint: its signature is store(pointer, value, mask=None, cache_modifier='', eviction_policy='', boundary_check=())
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
      hint: its signature is load(pointer, mask=None, other=None, cache_modifier='', eviction_policy='', volatile=False, boundary_check=(), padding_option='')
    """,
    x="*fp32",
)
@blockdsl.jit
def unknown_argument(x):
    tl.load(x, masks=None)


@refused(
    """
    TypeMismatchError: 'cast' expects float16 or float32 where the result is float8e4b15, got int32
      kernel+1:5, in custom_float_of_an_integer
          tl.cast(x, tl.float8e4b15)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: convert with .to(tl.float32) before
    """,
    x="i32",
)
@blockdsl.jit
def custom_float_of_an_integer(x):
    tl.cast(x, tl.float8e4b15)


@refused(
    """
    TypeMismatchError: '*' cannot compute with float8e4b15
      kernel+2:5, in product_of_custom_floats
          y * y
          ^^^^^
      hint: convert with .to(tl.float16)
    """,
    x="*fp8e4b15",
)
@blockdsl.jit
def product_of_custom_floats(x):
    y = tl.load(x)
    y * y


@refused(
    """
    TypeMismatchError: unary '-' cannot compute with float8e4b15
      kernel+1:5, in negative_custom_float
          -tl.load(x)
          ^^^^^^^^^^^
      hint: convert with .to(tl.float16)
    """,
    x="*fp8e4b15",
)
@blockdsl.jit
def negative_custom_float(x):
    -tl.load(x)

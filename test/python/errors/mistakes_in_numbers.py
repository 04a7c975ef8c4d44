"""Kernels whose numbers are of a kind that an op does not take."""

from refusals import refused

import blockdsl
import blockdsl.language as tl
from blockdsl.language.extra import libdevice


@refused(
    """
    TypeMismatchError: 'cast' cannot convert pointer<fp32> to int32
      kernel+1:5, in cast_of_a_pointer_to_a_narrow_integer
          x.to(tl.int32)
          ^^^^^^^^^^^^^^
      hint: an address converts to a 64-bit integer only; load an element as in tl.load(x_ptr)
    """,
    x="*fp32",
)
@blockdsl.jit
def cast_of_a_pointer_to_a_narrow_integer(x):
    x.to(tl.int32)


@refused(
    """
    TypeMismatchError: 'cast' cannot convert fp32 to pointer<fp32>
      kernel+1:5, in cast_of_a_float_to_a_pointer
          tl.load(x).to(tl.pointer_type(tl.float32))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: an address converts to a 64-bit integer only; load an element as in tl.load(x_ptr)
    """,
    x="*fp32",
)
@blockdsl.jit
def cast_of_a_float_to_a_pointer(x):
    tl.load(x).to(tl.pointer_type(tl.float32))


@refused(
    """
    TypeMismatchError: 'full' expects a dtype, got 'fp32'
      kernel+1:5, in full_without_a_dtype
          tl.full((16,), 1, "fp32")
          ^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: write tl.float32
    """,
)
@blockdsl.jit
def full_without_a_dtype():
    tl.full((16,), 1, "fp32")


@refused(
    """
    TypeMismatchError: 'full' expects a number, got '1'
      kernel+1:5, in full_of_a_text
          tl.full((16,), "1", tl.float32)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def full_of_a_text():
    tl.full((16,), "1", tl.float32)


@refused(
    """
    TypeMismatchError: 'full' expects a scalar value, got a block of shape (16,)
      kernel+1:5, in full_of_a_block
          tl.full((16,), tl.arange(0, 16), tl.float32)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def full_of_a_block():
    tl.full((16,), tl.arange(0, 16), tl.float32)


@refused(
    """
    TypeMismatchError: 'arange' expects bounds that fit int32, got 2147483648
      kernel+1:5, in arange_beyond_32_bits
          tl.arange(2**31, 2**31 + 16)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def arange_beyond_32_bits():
    tl.arange(2**31, 2**31 + 16)


@refused(
    """
    TypeMismatchError: 'device_print' expects an ASCII text first, got tensor<pointer<fp32>>
      kernel+1:5, in print_without_a_text
          tl.device_print(x)
          ^^^^^^^^^^^^^^^^^^
      hint: as in tl.device_print("x", x)
    """,
    x="*fp32",
)
@blockdsl.jit
def print_without_a_text(x):
    tl.device_print(x)


@refused(
    """
    TypeMismatchError: 'device_assert' expects a condition of bools, got fp32
      kernel+1:5, in assertion_of_a_float
          tl.device_assert(tl.load(x))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def assertion_of_a_float(x):
    tl.device_assert(tl.load(x))


@refused(
    """
    TypeMismatchError: 'assume' expects a scalar bool, got <[16], int1>
      kernel+1:5, in assumption_of_a_block
          tl.assume(tl.arange(0, 16) > 3)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def assumption_of_a_block():
    tl.assume(tl.arange(0, 16) > 3)


@refused(
    """
    TypeMismatchError: unary '-' expects a number, got pointer<fp32>
      kernel+1:5, in negative_of_a_pointer
          -x
          ^^
    """,
    x="*fp32",
)
@blockdsl.jit
def negative_of_a_pointer(x):
    -x


@refused(
    """
    TypeMismatchError: unary '~' expects integers or bools, got fp32
      kernel+1:5, in bits_of_a_float_inverted
          ~tl.load(x + tl.arange(0, 16))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def bits_of_a_float_inverted(x):
    ~tl.load(x + tl.arange(0, 16))


@refused(
    """
    TypeMismatchError: 'abs' expects numbers, got pointer<fp32>
      kernel+1:5, in absolute_value_of_a_pointer
          tl.abs(x)
          ^^^^^^^^^
      hint: the launch passes a tensor for 'x', which is a pointer here: pass a number, or load elements first, as in tl.load(x)
    """,
    x="*fp32",
)
@blockdsl.jit
def absolute_value_of_a_pointer(x):
    tl.abs(x)


@refused(
    """
    TypeMismatchError: 'fdiv' expects floats, got int32
      kernel+1:5, in fdiv_of_integers
          tl.fdiv(tl.arange(0, 16), tl.arange(0, 16))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use / or // on integers
    """,
)
@blockdsl.jit
def fdiv_of_integers():
    tl.fdiv(tl.arange(0, 16), tl.arange(0, 16))


@refused(
    """
    TypeMismatchError: 'fma' expects floats, got int32
      kernel+1:5, in fma_of_integers
          tl.fma(tl.arange(0, 16), tl.arange(0, 16), tl.arange(0, 16))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use x * y + z on integers
    """,
)
@blockdsl.jit
def fma_of_integers():
    tl.fma(tl.arange(0, 16), tl.arange(0, 16), tl.arange(0, 16))


@refused(
    """
    TypeMismatchError: '-' cannot take a pointer from a number, got int32 and pointer<fp32>
      kernel+1:5, in pointer_taken_from_a_number
          1 - x
          ^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def pointer_taken_from_a_number(x):
    1 - x


@refused(
    """
    TypeMismatchError: '+' cannot combine two pointers, got pointer<fp32> and pointer<fp32>
      kernel+1:5, in sum_of_two_pointers
          x + x
          ^^^^^
      hint: load both, as in tl.load(x_ptr) + tl.load(y_ptr)
    """,
    x="*fp32",
)
@blockdsl.jit
def sum_of_two_pointers(x):
    x + x


@refused(
    """
    TypeMismatchError: 'powf' expects 2 arguments, got 1
      kernel+1:5, in libdevice_with_too_few
          libdevice.pow(tl.load(x + tl.arange(0, 16)))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def libdevice_with_too_few(x):
    libdevice.pow(tl.load(x + tl.arange(0, 16)))


@refused(
    """
    TypeMismatchError: 'fdiv' expects ieee_rounding or approx, got both
      kernel+1:5, in quotient_both_ways
          tl.fdiv(tl.load(x), 3.0, ieee_rounding=True, approx=True)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def quotient_both_ways(x):
    tl.fdiv(tl.load(x), 3.0, ieee_rounding=True, approx=True)


@refused(
    """
    TypeMismatchError: 'fdiv' with approx expects fp32, got fp64
      kernel+1:5, in rough_quotient_of_doubles
          tl.fdiv(tl.load(x), 3.0, approx=True)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp64",
)
@blockdsl.jit
def rough_quotient_of_doubles(x):
    tl.fdiv(tl.load(x), 3.0, approx=True)


@refused(
    """
    TypeMismatchError: 'get_int_max_value' expects an integer type, got fp32
      kernel+1:5, in largest_integer_of_floats
          x.dtype.element_ty.get_int_max_value()
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def largest_integer_of_floats(x):
    x.dtype.element_ty.get_int_max_value()


@refused(
    """
    MissingNameError: 'exponent_bias' expects a float type, got int32
      kernel+1:5, in exponent_of_integers
          x.dtype.element_ty.exponent_bias
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*i32",
)
@blockdsl.jit
def exponent_of_integers(x):
    x.dtype.element_ty.exponent_bias


@refused(
    """
    TypeMismatchError: 'full' expects a whole number for int32, got 1.5
      kernel+1:5, in full_of_a_part
          tl.full((16,), 1.5, tl.int32)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: or a float's dtype
    """,
)
@blockdsl.jit
def full_of_a_part():
    tl.full((16,), 1.5, tl.int32)


@refused(
    """
    TypeMismatchError: 'full' expects a number from -128 to 127 for int8, got 256
      kernel+1:5, in full_of_more_bits
          tl.full((16,), 256, tl.int8)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: convert the other operand to a wider type with .to(...)
    """,
)
@blockdsl.jit
def full_of_more_bits():
    tl.full((16,), 256, tl.int8)

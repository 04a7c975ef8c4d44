"""Products in microscaling formats that cannot be meant."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@refused(
    """
    TypeMismatchError: 'dot_scaled' expects lhs to be a block of two or three dimensions, got fp32
      kernel+1:5, in scaled_product_of_a_number
          tl.dot_scaled(x, None, "bf16", x, None, "bf16")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="fp32",
)
@blockdsl.jit
def scaled_product_of_a_number(x):
    tl.dot_scaled(x, None, "bf16", x, None, "bf16")


@refused(
    """
    TypeMismatchError: 'dot_scaled' expects lhs_format to be one of 'e4m3', 'e5m2', 'e2m1', 'bf16', 'fp16', got 'e3m0'
      kernel+2:5, in scaled_format_that_nobody_has
          tl.dot_scaled(a, None, "e3m0", a, None, "bf16")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def scaled_format_that_nobody_has():
    a = tl.zeros((32, 32), tl.uint8)
    tl.dot_scaled(a, None, "e3m0", a, None, "bf16")


@refused(
    """
    TypeMismatchError: 'dot_scaled' expects lhs in the format e4m3 to be of fp8e4nv, or its bits as uint8, got fp32
      kernel+2:5, in scaled_format_of_other_elements
          tl.dot_scaled(a, None, "e4m3", a, None, "bf16")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def scaled_format_of_other_elements():
    a = tl.zeros((32, 32), tl.float32)
    tl.dot_scaled(a, None, "e4m3", a, None, "bf16")


@refused(
    """
    TypeMismatchError: 'dot_scaled' expects lhs in the format e2m1 to be of uint8, got fp32
      kernel+2:5, in scaled_nibbles_of_other_elements
          tl.dot_scaled(a, None, "e2m1", a, None, "bf16")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def scaled_nibbles_of_other_elements():
    a = tl.zeros((32, 32), tl.float32)
    tl.dot_scaled(a, None, "e2m1", a, None, "bf16")


@refused(
    """
    TypeMismatchError: 'dot_scaled' expects lhs to be of e2m1 where lhs_k_pack is False, got bf16
      kernel+2:5, in scaled_bytes_packed_along_rows
          tl.dot_scaled(a, None, "bf16", a, None, "bf16", lhs_k_pack=False)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def scaled_bytes_packed_along_rows():
    a = tl.zeros((32, 32), tl.bfloat16)
    tl.dot_scaled(a, None, "bf16", a, None, "bf16", lhs_k_pack=False)


@refused(
    """
    TypeMismatchError: 'dot_scaled' expects lhs_scale of uint8 (exponents) or fp8e4nv, got fp32
      kernel+2:5, in scales_of_floats
          tl.dot_scaled(a, tl.zeros((32, 1), tl.float32), "bf16", a, None, "bf16")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def scales_of_floats():
    a = tl.zeros((32, 32), tl.bfloat16)
    tl.dot_scaled(a, tl.zeros((32, 1), tl.float32), "bf16", a, None, "bf16")


@refused(
    """
    TypeMismatchError: 'dot_scaled' expects rhs_scale of shape (32, 2) or (32, 4), got (2, 32)
      kernel+2:5, in scales_that_are_transposed
          tl.dot_scaled(a, None, "bf16", b, tl.zeros((2, 32), tl.uint8), "bf16")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: a row of scales for each row of lhs, or column of rhs
    """,
)
@blockdsl.jit
def scales_that_are_transposed():
    a, b = tl.zeros((16, 64), tl.bfloat16), tl.zeros((64, 32), tl.bfloat16)
    tl.dot_scaled(a, None, "bf16", b, tl.zeros((2, 32), tl.uint8), "bf16")


@refused(
    """
    TypeMismatchError: 'dot_scaled' expects operands of one rank and batch, got (2, 32, 32) and (4, 32, 32)
      kernel+2:5, in scaled_batches_that_differ
          tl.dot_scaled(a, None, "bf16", b, None, "bf16")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def scaled_batches_that_differ():
    a, b = tl.zeros((2, 32, 32), tl.bfloat16), tl.zeros((4, 32, 32), tl.bfloat16)
    tl.dot_scaled(a, None, "bf16", b, None, "bf16")


@refused(
    """
    TypeMismatchError: 'dot_scaled' expects lhs columns (64 elements) to equal rhs rows (32 elements)
      kernel+2:5, in scaled_extents_that_differ
          tl.dot_scaled(a, None, "e2m1", b, None, "bf16")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: the shapes are (32, 32) and (32, 32); a byte of e2m1 holds two
    """,
)
@blockdsl.jit
def scaled_extents_that_differ():
    a, b = tl.zeros((32, 32), tl.uint8), tl.zeros((32, 32), tl.bfloat16)
    tl.dot_scaled(a, None, "e2m1", b, None, "bf16")


@refused(
    """
    TypeMismatchError: 'dot_scaled' expects out_dtype float32, got bf16
      kernel+2:5, in scaled_product_in_bf16
          tl.dot_scaled(a, None, "bf16", a, None, "bf16", out_dtype=tl.bfloat16)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: convert the result with .to(...)
    """,
)
@blockdsl.jit
def scaled_product_in_bf16():
    a = tl.zeros((32, 32), tl.bfloat16)
    tl.dot_scaled(a, None, "bf16", a, None, "bf16", out_dtype=tl.bfloat16)


@refused(
    """
    TypeMismatchError: 'dot_scaled' expects an accumulator of <[32, 32], fp32>, got <[32, 16], fp32>
      kernel+2:5, in scaled_accumulator_of_another_shape
          tl.dot_scaled(a, None, "bf16", a, None, "bf16", acc=tl.zeros((32, 16), tl.float32))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: start from tl.zeros((32, 32), tl.float32)
    """,
)
@blockdsl.jit
def scaled_accumulator_of_another_shape():
    a = tl.zeros((32, 32), tl.bfloat16)
    tl.dot_scaled(a, None, "bf16", a, None, "bf16", acc=tl.zeros((32, 16), tl.float32))

"""Products whose factors or accumulators do not fit."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


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
    TypeMismatchError: 'dot' expects lhs to be a block of two or more dimensions, got <[16], fp16>
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
    TypeMismatchError: 'dot' expects out_dtype float32 or float16, got int32
      kernel+2:5, in dot_of_floats_into_integers
          tl.dot(a, a, out_dtype=tl.int32)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def dot_of_floats_into_integers():
    a = tl.full((16, 16), 1, tl.float16)
    tl.dot(a, a, out_dtype=tl.int32)


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

"""Kernels that call what the language writes in itself with values that it does not take."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@refused(
    """
    CompileTimeAssertionError: static_assert failed: philox expects a seed that is an integer, got fp32
      kernel+1:5, in seed_is_a_float
          tl.rand(seed, tl.arange(0, 16))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    seed="fp32",
)
@blockdsl.jit
def seed_is_a_float(seed):
    tl.rand(seed, tl.arange(0, 16))


@refused(
    """
    CompileTimeAssertionError: static_assert failed: philox expects words of 32 or 64 bits, got int16
      kernel+2:5, in words_are_narrow
          tl.philox(7, c, c, c, c)
          ^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def words_are_narrow():
    c = tl.arange(0, 16).to(tl.int16)
    tl.philox(7, c, c, c, c)


@refused(
    """
    CompileTimeAssertionError: static_assert failed: philox_impl expects words of uint32 or uint64, got int32
      kernel+2:5, in words_have_signs
          tl.philox_impl(c, c, c, c, c, c)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def words_have_signs():
    c = tl.arange(0, 16)
    tl.philox_impl(c, c, c, c, c, c)


@refused(
    """
    CompileTimeAssertionError: static_assert failed: uint_to_uniform_float expects integers of 32 or 64 bits, got fp32
      kernel+1:5, in words_are_floats
          tl.uint_to_uniform_float(tl.load(x))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def words_are_floats(x):
    tl.uint_to_uniform_float(tl.load(x))


@refused(
    """
    CompileTimeAssertionError: static_assert failed: sort expects the last dimension of (16, 4), got 0
      kernel+1:5, in sorts_columns
          tl.sort(tl.load(x + tl.arange(0, 16)[:, None] + tl.arange(0, 4)[None, :]), 0)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def sorts_columns(x):
    tl.sort(tl.load(x + tl.arange(0, 16)[:, None] + tl.arange(0, 4)[None, :]), 0)


@refused(
    """
    CompileTimeAssertionError: static_assert failed: bitonic_merge expects the last dimension of (), got None
      kernel+1:5, in merges_a_scalar
          tl.bitonic_merge(tl.load(x))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def merges_a_scalar(x):
    tl.bitonic_merge(tl.load(x))


@refused(
    """
    CompileTimeAssertionError: static_assert failed: topk expects the last dimension of (16,), got 1
      kernel+1:5, in best_of_a_dimension_too_many
          tl.load(x + tl.arange(0, 16)).topk(4, 1)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def best_of_a_dimension_too_many(x):
    tl.load(x + tl.arange(0, 16)).topk(4, 1)


@refused(
    """
    CompileTimeAssertionError: static_assert failed: topk expects a power of two up to 16, got 5
      kernel+1:5, in best_five
          tl.topk(tl.load(x + tl.arange(0, 16)), 5)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def best_five(x):
    tl.topk(tl.load(x + tl.arange(0, 16)), 5)

"""Functions that `tl.map_elementwise` does not take, or not of these blocks."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def of_two_kinds(a, b):
    return a, b.to(tl.int32)


@blockdsl.jit
def nothing(a):
    pass


@blockdsl.jit
def one_of_two(a, b):
    return a


@refused(
    """
    TypeMismatchError: 'map_elementwise' expects a block, got fp32
      kernel+1:5, in map_of_a_scalar
          tl.map_elementwise(nothing, tl.load(x))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: as in tl.map_elementwise(function, x)
    """,
    x="*fp32",
)
@blockdsl.jit
def map_of_a_scalar(x):
    tl.map_elementwise(nothing, tl.load(x))


@refused(
    """
    TypeMismatchError: 'map_elementwise' expects pack to be a power of two that divides the last dimension (16), got 3
      kernel+1:5, in map_with_a_pack_that_does_not_divide
          tl.map_elementwise(nothing, tl.load(x + tl.arange(0, 16)), pack=3)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def map_with_a_pack_that_does_not_divide(x):
    tl.map_elementwise(nothing, tl.load(x + tl.arange(0, 16)), pack=3)


@refused(
    """
    TypeMismatchError: 'map_elementwise' expects its function to return 1 scalar for each result, got 1: None
      kernel+1:5, in map_that_returns_nothing
          tl.map_elementwise(nothing, tl.load(x + tl.arange(0, 16)))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def map_that_returns_nothing(x):
    tl.map_elementwise(nothing, tl.load(x + tl.arange(0, 16)))


@refused(
    """
    TypeMismatchError: 'map_elementwise' expects its function to return 2 scalars for each result, got 1: fp32
      kernel+1:5, in map_of_two_that_returns_one
          tl.map_elementwise(one_of_two, tl.load(x + tl.arange(0, 16)), pack=2)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def map_of_two_that_returns_one(x):
    tl.map_elementwise(one_of_two, tl.load(x + tl.arange(0, 16)), pack=2)


@refused(
    """
    TypeMismatchError: 'map_elementwise' expects scalars of one type for result 0, got fp32, int32
      kernel+1:5, in map_that_returns_two_kinds
          tl.map_elementwise(of_two_kinds, tl.load(x + tl.arange(0, 16)), pack=2)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: convert them with .to(...)
    """,
    x="*fp32",
)
@blockdsl.jit
def map_that_returns_two_kinds(x):
    tl.map_elementwise(of_two_kinds, tl.load(x + tl.arange(0, 16)), pack=2)

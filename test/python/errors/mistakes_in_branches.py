"""Branches that the language does not have, or whose values do not fit."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@refused(
    """
    KernelSyntaxError: a condition must be known when the kernel is compiled, got a value of type int1
      kernel+1:8, in runtime_value_in_a_tuple
          if 1 in (n, 2):
             ^^^^^^^^^^^
    """,
    n="i32",
)
@blockdsl.jit
def runtime_value_in_a_tuple(n):
    if 1 in (n, 2):
        tl.device_print("n", n)


@refused(
    """
    KernelSyntaxError: a kernel returns nothing, got a value
      kernel+1:5, in returned_value
          return tl.load(x)
          ^^^^^^^^^^^^^^^^^
      hint: write results with tl.store
    """,
    x="*fp32",
)
@blockdsl.jit
def returned_value(x):
    return tl.load(x)


@refused(
    """
    KernelSyntaxError: 'y' is defined on one side of the 'if' in line kernel+1 only
      kernel+3:17, in defined_on_one_side
          tl.store(x, y)
                      ^
      hint: give it a value before
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def defined_on_one_side(x, n):
    if n > 3:
        y = 1.0
    tl.store(x, y)


@refused(
    """
    TypeMismatchError: 'y' has type fp32 after 'if' and int32 after 'else'
      kernel+1:5, in types_of_branches_differ
          if n > 3:
          ^^^^^^^^
      hint: after line kernel+4 write y = y.to(tl.float32); line kernel+2 gives fp32
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def types_of_branches_differ(x, n):
    if n > 3:
        y = tl.load(x)
    else:
        y = n
    tl.store(x, y)


@refused(
    """
    KernelSyntaxError: a condition must be a single value, got a block of type <[16], int1>
      kernel+1:8, in condition_of_a_block
          if tl.load(x + tl.arange(0, 16)) > 0:
             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use tl.where on blocks, or reduce the block first
    """,
    x="*fp32",
)
@blockdsl.jit
def condition_of_a_block(x):
    if tl.load(x + tl.arange(0, 16)) > 0:
        tl.store(x, 1.0)

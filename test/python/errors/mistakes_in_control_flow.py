"""Branches and loops that the language does not have, or whose values do not fit."""

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
    KernelSyntaxError: 'break' is not part of the kernel language
      kernel+3:13, in break_in_loop
          break
          ^^^^^
      hint: let the loop's condition end it: use 'while'
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def break_in_loop(x, n):
    for i in range(n):
        if i == 3:
            break
        tl.store(x + i, 0.0)


@refused(
    """
    KernelSyntaxError: 'continue' is not part of the kernel language
      kernel+2:9, in continue_in_loop
          continue
          ^^^^^^^^
      hint: put the rest of the body under an 'if'
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def continue_in_loop(x, n):
    for i in range(n):
        continue


@refused(
    """
    KernelSyntaxError: 'return' inside a loop, or under an 'if' inside one, is not part of the kernel language
      kernel+3:9, in return_in_loop
          return
          ^^^^^^
      hint: keep the result in a name and return it after the loop
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def return_in_loop(x, n):
    for i in range(n):
        tl.store(x + i, 0.0)
        return


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
      hint: convert one with .to(...), or use another name
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
    TypeMismatchError: 'acc' has type int32 before the loop and fp32 after an iteration
      kernel+2:5, in type_changes_in_loop
          for i in range(n):
          ^^^^^^^^^^^^^^^^^
      hint: convert one with .to(...), or use another name
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def type_changes_in_loop(x, n):
    acc = 0
    for i in range(n):
        acc += tl.load(x + i)
    tl.store(x, acc)


@refused(
    """
    TypeMismatchError: 'acc' has type <[16], fp32> before the loop and <[16, 2], fp32> after an iteration
      kernel+2:5, in shape_changes_in_loop
          for i in range(n):
          ^^^^^^^^^^^^^^^^^
      hint: convert one with .to(...), or use another name
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def shape_changes_in_loop(x, n):
    acc = tl.zeros((16,), tl.float32)
    for i in range(n):
        acc = tl.join(acc, acc)
    tl.store(x, tl.sum(acc))


@refused(
    """
    KernelSyntaxError: 'last' is defined only inside the loop of line kernel+1
      kernel+3:17, in name_of_a_loop_used_after_it
          tl.store(x, last)
                      ^^^^
      hint: give it a value before
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def name_of_a_loop_used_after_it(x, n):
    for i in range(n):
        last = tl.load(x + i)
    tl.store(x, last)


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


@refused(
    """
    TypeMismatchError: 'static_range' expects compile-time integers, got int32
      kernel+1:14, in static_range_of_runtime_bound
          for i in tl.static_range(n):
                   ^^^^^^^^^^^^^^^^^^
      hint: declare it as `tl.constexpr`, or use tl.range
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def static_range_of_runtime_bound(x, n):
    for i in tl.static_range(n):
        tl.store(x + i, 0.0)


@refused(
    """
    KernelSyntaxError: a loop runs over range, tl.range, tl.static_range or a compile-time tuple, got <[16], fp32>
      kernel+1:18, in loop_over_a_block
          for value in tl.load(x + tl.arange(0, 16)):
                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use tl.range(n) and tl.load inside
    """,
    x="*fp32",
)
@blockdsl.jit
def loop_over_a_block(x):
    for value in tl.load(x + tl.arange(0, 16)):
        tl.store(x, value)


@refused(
    """
    TypeMismatchError: 'range' expects integer scalars, got fp32
      kernel+1:14, in range_of_floats
          for i in range(1.5):
                   ^^^^^^^^^^
      hint: convert with .to(tl.int32)
    """,
    x="*fp32",
)
@blockdsl.jit
def range_of_floats(x):
    for i in range(1.5):
        tl.store(x, i)


@refused(
    """
    TypeMismatchError: 'range' expects a step other than zero, got 0
      kernel+1:14, in range_without_step
          for i in range(0, n, 0):
                   ^^^^^^^^^^^^^^
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def range_without_step(x, n):
    for i in range(0, n, 0):
        tl.store(x, i)

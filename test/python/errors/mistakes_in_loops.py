"""Loops that the language does not have, or whose values do not fit."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def two(x, y):
    return x + y


@blockdsl.jit
def of_two_types(n):
    if n > 3:
        return n
    return 1.0


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
    TypeMismatchError: 'acc' has type int32 before the loop and fp32 after an iteration
      kernel+2:5, in type_changes_in_loop
          for i in range(n):
          ^^^^^^^^^^^^^^^^^
      hint: in line kernel+1 write acc = 0.0; line kernel+3 gives fp32
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
    KernelSyntaxError: 'i' is the variable of the loop of line kernel+2, which has ended
      kernel+4:17, in variable_of_a_loop_used_after_it
          tl.store(x, i)
                      ^
      hint: give another name its value, within the loop
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def variable_of_a_loop_used_after_it(x, n):
    i = 0
    for i in range(n):
        tl.store(x, n)
    tl.store(x, i)


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
    TypeMismatchError: 'static_range' expects compile-time integers, got int32
      kernel+1:14, in static_range_of_runtime_bound
          for i in tl.static_range(n):
                   ^^^^^^^^^^^^^^^^^^
      hint: declare the parameter as `n: tl.constexpr`, or use tl.range
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


@refused(
    """
    KernelSyntaxError: 'else' after a loop is not part of the kernel language
      kernel+1:5, in else_after_a_loop
          for _ in range(n):
          ^^^^^^^^^^^^^^^^^
      hint: put it after the loop
    """,
    n="i32",
)
@blockdsl.jit
def else_after_a_loop(n):
    for _ in range(n):
        pass
    else:
        pass


@refused(
    """
    KernelSyntaxError: a range gives one name its values, got several
      kernel+1:5, in loop_with_two_names
          for a, b in range(n):
          ^^^^^^^^^^^^^^^^^^^^
    """,
    n="i32",
)
@blockdsl.jit
def loop_with_two_names(n):
    for a, b in range(n):
        tl.device_print("a", a + b)


@refused(
    """
    TypeMismatchError: 'f' changes in a loop but cannot at run time: it is <blockdsl.jit kernel mistakes_in_loops.two>
      kernel+2:5, in function_that_changes_in_a_loop
          for _ in range(n):
          ^^^^^^^^^^^^^^^^^
      hint: unroll with tl.static_range, or use another name
    """,
    n="i32",
)
@blockdsl.jit
def function_that_changes_in_a_loop(n):
    f = two
    for _ in range(n):
        f = of_two_types
    f(n)


@refused(
    """
    KernelSyntaxError: 'a' is two different compile-time values after the 'if' in line kernel+3: (int32, int32) and int32
      kernel+2:5, in name_of_one_way_after_a_loop
          for i in range(n):
          ^^^^^^^^^^^^^^^^^
      hint: give it a value on every way
    """,
    n="i32",
)
@blockdsl.jit
def name_of_one_way_after_a_loop(n):
    a = n
    for i in range(n):
        if i > 2:
            a = (n, n)
    tl.device_print("a", a)


@refused(
    """
    TypeMismatchError: 'static_range' expects a step other than zero, got 0
      kernel+1:14, in static_range_without_a_step
          for _ in tl.static_range(0, 4, 0):
                   ^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def static_range_without_a_step():
    for _ in tl.static_range(0, 4, 0):
        pass


@refused(
    """
    TypeMismatchError: range expected at most 3 arguments, got 4
      kernel+1:14, in range_of_four
          for _ in range(1, 2, 3, 4):
                   ^^^^^^^^^^^^^^^^^
      hint: tl.range takes hints for the compiler by name
    """,
)
@blockdsl.jit
def range_of_four():
    for _ in range(1, 2, 3, 4):
        pass


@refused(
    """
    TypeMismatchError: range expected at least 1 argument, got 0
      kernel+1:14, in range_of_nothing
          for _ in range():
                   ^^^^^^^
    """,
)
@blockdsl.jit
def range_of_nothing():
    for _ in range():
        pass


@refused(
    """
    TypeMismatchError: 'static_range' too many positional arguments
      kernel+1:14, in static_range_of_four
          for _ in tl.static_range(1, 2, 3, 4):
                   ^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: its signature is static_range(arg1, arg2=None, step=None)
    """,
)
@blockdsl.jit
def static_range_of_four():
    for _ in tl.static_range(1, 2, 3, 4):
        pass


@refused(
    """
    TypeMismatchError: 'range' missing a required argument: 'arg1'
      kernel+1:14, in range_of_the_language_of_nothing
          for _ in tl.range():
                   ^^^^^^^^^^
      hint: its signature is range(arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, flatten=False, warp_specialize=False, disable_licm=False)
    """,
)
@blockdsl.jit
def range_of_the_language_of_nothing():
    for _ in tl.range():
        pass


@refused(
    """
    TypeMismatchError: 'range' expects integer scalars, got fp32
      kernel+1:14, in float_as_a_loop_bound_known
          for _ in range(1.5):
                   ^^^^^^^^^^
      hint: convert with .to(tl.int32)
    """,
)
@blockdsl.jit
def float_as_a_loop_bound_known():
    for _ in range(1.5):
        pass


@refused(
    """
    KernelSyntaxError: 'range' is iterated only by a 'for' statement inside a kernel
      kernel+1:5, in range_in_a_list
          list(tl.range(0, 4))
          ^^^^^^^^^^^^^^^^^^^^
    """,
    n="i32",
)
@blockdsl.jit
def range_in_a_list(n):
    list(tl.range(0, 4))


@refused(
    """
    KernelSyntaxError: a loop ends by its condition, which is always true
      kernel+1:11, in endless
          while True:
                ^^^^
      hint: there is no 'break': write the condition that ends it
    """,
    x="*fp32",
)
@blockdsl.jit
def endless(x):
    while True:
        tl.store(x, 0.0)

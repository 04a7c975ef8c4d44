"""Kernels that use Python in ways that the language does not have."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def scaled(x, factor: tl.constexpr):
    return x * factor


@blockdsl.jit
def endless(x):
    return endless(x)


@blockdsl.jit
def wrong_inside(x):
    y = x + tl.arange(0, 16)
    return y + tl.arange(0, 8)


@refused(
    """
    KernelSyntaxError: 'lambda' is not part of the kernel language
      kernel+1:9, in lambda_in_kernel
          f = lambda value: value + 1  # noqa: E731
              ^^^^^^^^^^^^^^^^^^^^^^^
      hint: write a function with @blockdsl.jit
    """,
    x="*fp32",
)
@blockdsl.jit
def lambda_in_kernel(x):
    f = lambda value: value + 1  # noqa: E731
    tl.store(x, f(1.0))


@refused(
    """
    KernelSyntaxError: 'try' is not part of the kernel language
      kernel+1:5, in try_in_kernel
          try:
          ^
      hint: check conditions with tl.static_assert or tl.device_assert
    """,
    x="*fp32",
)
@blockdsl.jit
def try_in_kernel(x):
    try:
        tl.store(x, 1.0)
    except ValueError:
        pass


@refused(
    """
    KernelSyntaxError: a dict is not part of the kernel language
      kernel+1:14, in dict_in_kernel
          values = {"a": 1}
                   ^^^^^^^^
      hint: use separate names or a tuple
    """,
    x="*fp32",
)
@blockdsl.jit
def dict_in_kernel(x):
    values = {"a": 1}
    tl.store(x, values["a"])


@refused(
    """
    KernelSyntaxError: '**' on blocks is not part of the kernel language
      kernel+1:17, in power_of_a_block
          tl.store(x, tl.load(x) ** 2)
                      ^^^^^^^^^^^^^^^
      hint: write x * x, or use libdevice.pow
    """,
    x="*fp32",
)
@blockdsl.jit
def power_of_a_block(x):
    tl.store(x, tl.load(x) ** 2)


@refused(
    """
    KernelSyntaxError: '@' is not part of the kernel language
      kernel+2:24, in matrix_operator
          tl.store(x, tl.sum(a @ a))
                             ^^^^^
      hint: use tl.dot(a, b)
    """,
    x="*fp32",
)
@blockdsl.jit
def matrix_operator(x):
    a = tl.load(x + tl.arange(0, 16)[:, None] + tl.arange(0, 16)[None, :])
    tl.store(x, tl.sum(a @ a))


@refused(
    """
    TypeMismatchError: a block is indexed with ':', None and '...' only, got 3
      kernel+2:17, in element_of_a_block
          tl.store(x, a[3])
                      ^^^^
      hint: write tl.sum(tl.where(tl.arange(0, 16) == 3, a, 0))
    """,
    x="*fp32",
)
@blockdsl.jit
def element_of_a_block(x):
    a = tl.load(x + tl.arange(0, 16))
    tl.store(x, a[3])


@refused(
    """
    TypeMismatchError: a block is indexed with ':', None and '...' only, got slice(None, 4, None)
      kernel+2:17, in slice_of_a_block
          tl.store(x, a[:4])
                      ^^^^^
      hint: load the part you need, or use tl.gather, tl.split or tl.sum with a mask
    """,
    x="*fp32",
)
@blockdsl.jit
def slice_of_a_block(x):
    a = tl.load(x + tl.arange(0, 16))
    tl.store(x, a[:4])


@refused(
    """
    KernelSyntaxError: assignment to an element is not part of the kernel language
      kernel+2:5, in assignment_to_an_element
          a[0] = 1.0
          ^^^^^^^^^^
      hint: write a = tl.where(tl.arange(0, 16) == 0, 1.0, a)
    """,
    x="*fp32",
)
@blockdsl.jit
def assignment_to_an_element(x):
    a = tl.load(x + tl.arange(0, 16))
    a[0] = 1.0


@refused(
    """
    TypeMismatchError: 'scaled' expects an argument 'factor', got none
      kernel+1:17, in missing_argument_of_a_function
          tl.store(x, scaled(tl.load(x)))
                      ^^^^^^^^^^^^^^^^^^
      hint: its parameters are x, factor
    """,
    x="*fp32",
)
@blockdsl.jit
def missing_argument_of_a_function(x):
    tl.store(x, scaled(tl.load(x)))


@refused(
    """
    KernelSyntaxError: 'endless' calls itself, and recursion is not part of the kernel language
      elsewhere:12, in endless  <- called from kernel+1:17
          return endless(x)
                 ^^^^^^^^^^
      hint: write a loop
    """,
    x="*fp32",
)
@blockdsl.jit
def recursion(x):
    tl.store(x, endless(tl.load(x)))


@refused(
    """
    TypeMismatchError: shapes (16,) and (8,) do not broadcast: 16 and 8 differ at axis 0
      elsewhere:12, in wrong_inside  <- called from kernel+1:5
          return y + tl.arange(0, 8)
                 ^^^^^^^^^^^^^^^^^^^
      hint: add an axis of extent 1 with x[:, None] or x[None, :]
    """,
    x="i32",
)
@blockdsl.jit
def mistake_in_a_called_function(x):
    wrong_inside(x)


@refused(
    """
    KernelSyntaxError: 'int' expects a compile-time value, got a value of type int32
      kernel+1:21, in python_conversion_of_a_runtime_value
          tl.static_print(int(n))
                          ^^^^^^
      hint: convert with .to(tl.int32)
    """,
    n="i32",
)
@blockdsl.jit
def python_conversion_of_a_runtime_value(n):
    tl.static_print(int(n))


@refused(
    """
    KernelSyntaxError: an f-string holds compile-time values, got a value of type int32
      kernel+1:21, in text_of_a_runtime_value
          tl.static_print(f"n is {n}")
                          ^^^^^^^^^^^
      hint: print it with tl.device_print
    """,
    n="i32",
)
@blockdsl.jit
def text_of_a_runtime_value(n):
    tl.static_print(f"n is {n}")


@refused(
    """
    CompileTimeAssertionError: static_assert failed: BLOCK must be a multiple of 16, got 100
      kernel+1:5, in static_assertion
          tl.static_assert(BLOCK % 16 == 0, f"BLOCK must be a multiple of 16, got {BLOCK}")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    BLOCK=100,
)
@blockdsl.jit
def static_assertion(BLOCK: tl.constexpr):
    tl.static_assert(BLOCK % 16 == 0, f"BLOCK must be a multiple of 16, got {BLOCK}")


@refused(
    """
    TypeMismatchError: 'static_assert' expects a compile-time condition, got a value of type int1
      kernel+1:5, in static_assertion_of_a_runtime_value
          tl.static_assert(n > 3)
          ^^^^^^^^^^^^^^^^^^^^^^^
      hint: use tl.device_assert for values known at run time
    """,
    n="i32",
)
@blockdsl.jit
def static_assertion_of_a_runtime_value(n):
    tl.static_assert(n > 3)


@refused(
    """
    TypeMismatchError: 3 values are expected to unpack, got 2
      kernel+1:5, in unpacked_too_few
          a, b, c = (1, 2)
          ^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def unpacked_too_few():
    a, b, c = (1, 2)
    tl.static_print(a, b, c)


@refused(
    """
    TypeMismatchError: a compile-time division by zero: 4 by 0
      kernel+1:21, in compile_time_division_by_zero
          tl.static_print(4 // 0)
                          ^^^^^^
    """,
)
@blockdsl.jit
def compile_time_division_by_zero():
    tl.static_print(4 // 0)


@refused(
    """
    KernelSyntaxError: a compile-time index is expected, got a value of type int32
      kernel+1:21, in tuple_indexed_at_run_time
          tl.static_print(items[n])
                          ^^^^^^^^
      hint: loop with tl.static_range, or choose with tl.where
    """,
    items=(1, 2),
    n="i32",
)
@blockdsl.jit
def tuple_indexed_at_run_time(items: tl.constexpr, n):
    tl.static_print(items[n])


@refused(
    """
    KernelSyntaxError: a starred target is not part of the kernel language
      kernel+1:5, in starred_target
          first, *rest = (1, 2, 3)
          ^^^^^^^^^^^^^^^^^^^^^^^^
      hint: take a slice: rest = values[1:]
    """
)
@blockdsl.jit
def starred_target():
    first, *rest = (1, 2, 3)
    tl.static_print(first, rest)


@refused(
    """
    KernelSyntaxError: 'del' is not part of the kernel language
      kernel+2:5, in deleted_name
          del at
          ^^^^^^
      hint: names end with the function
    """,
    x="*fp32",
)
@blockdsl.jit
def deleted_name(x):
    at = x + 1
    del at


@refused(
    """
    KernelSyntaxError: 'match' is not part of the kernel language
      kernel+1:5, in matched
          match n:
          ^
      hint: write if and elif
    """,
    n="i32",
)
@blockdsl.jit
def matched(n):
    match n:
        case 1:
            pass

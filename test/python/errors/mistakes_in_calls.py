"""Kernels whose calls and compile-time values cannot be."""

from refusals import refused

import blockdsl
import blockdsl.language as tl

PAIR = tl.constexpr((1, 2))


def undecorated(x):
    return x


@tl.constexpr_function
def halved(n):
    return n / 0


@tl.constexpr_function
def taken(n):
    return n


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
    TypeMismatchError: a tuple is expected to unpack, got fp32
      kernel+1:5, in unpacked_number
          a, b = tl.load(x)
          ^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def unpacked_number(x):
    a, b = tl.load(x)
    tl.store(x, a + b)


@refused(
    """
    KernelSyntaxError: '**' in a call is not part of the kernel language
      kernel+1:17, in keywords_of_a_dict
          tl.store(x, two(**x))
                      ^^^^^^^^
      hint: name the arguments
    """,
    x="*fp32",
)
@blockdsl.jit
def keywords_of_a_dict(x):
    tl.store(x, two(**x))


@refused(
    """
    KernelSyntaxError: 'taken' runs while the kernel is compiled and expects compile-time values, got one of type int32
      kernel+1:5, in runtime_value_for_a_constexpr_function
          taken(n)
          ^^^^^^^^
      hint: decorate it with @blockdsl.jit
    """,
    n="i32",
)
@blockdsl.jit
def runtime_value_for_a_constexpr_function(n):
    taken(n)


@refused(
    """
    TypeMismatchError: 'halved' failed while the kernel was compiled: division by zero
      kernel+1:5, in constexpr_function_that_raises
          halved(3)
          ^^^^^^^^^
    """,
)
@blockdsl.jit
def constexpr_function_that_raises():
    halved(3)


@refused(
    """
    KernelSyntaxError: a list comprehension with one 'for' is expected, got several
      kernel+1:5, in comprehension_of_two_loops
          [a + b for a in PAIR for b in PAIR]
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def comprehension_of_two_loops():
    [a + b for a in PAIR for b in PAIR]


@refused(
    """
    KernelSyntaxError: a list comprehension runs over compile-time sequences, got <[16], fp32>
      kernel+1:5, in comprehension_over_a_block
          [a for a in tl.load(x + tl.arange(0, 16))]
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: use tl.static_range or a tuple
    """,
    x="*fp32",
)
@blockdsl.jit
def comprehension_over_a_block(x):
    [a for a in tl.load(x + tl.arange(0, 16))]


@refused(
    """
    TypeMismatchError: compile-time values do not combine: unsupported operand type(s) for +: 'int' and 'str'
      kernel+1:5, in constants_that_do_not_combine
          1 + "text"
          ^^^^^^^^^^
    """,
)
@blockdsl.jit
def constants_that_do_not_combine():
    1 + "text"


@refused(
    """
    TypeMismatchError: a compile-time value does not fit: bad operand type for unary -: 'str'
      kernel+1:5, in constant_without_a_sign
          -"text"
          ^^^^^^^
    """,
)
@blockdsl.jit
def constant_without_a_sign():
    -"text"


@refused(
    """
    TypeMismatchError: (1, 2) cannot be indexed with 2: tuple index out of range
      kernel+1:5, in index_out_of_range
          PAIR[2]
          ^^^^^^^
    """,
)
@blockdsl.jit
def index_out_of_range():
    PAIR[2]


@refused(
    """
    TypeMismatchError: a function returns values of one type, got int32 first and fp32 here
      elsewhere:5, in of_two_types  <- called from kernel+1:5
          return 1.0
          ^^^^^^^^^^
      hint: convert one with .to(...)
    """,
    n="i32",
)
@blockdsl.jit
def values_of_two_types(n):
    of_two_types(n)


@refused(
    """
    TypeMismatchError: 'two' expects 2 arguments, got 3
      kernel+1:5, in too_many_arguments
          two(n, n, n)
          ^^^^^^^^^^^^
      hint: its parameters are x, y
    """,
    n="i32",
)
@blockdsl.jit
def too_many_arguments(n):
    two(n, n, n)


@refused(
    """
    TypeMismatchError: 'two' got the argument 'x' twice
      kernel+1:5, in argument_given_twice
          two(n, x=n)
          ^^^^^^^^^^^
    """,
    n="i32",
)
@blockdsl.jit
def argument_given_twice(n):
    two(n, x=n)


@refused(
    """
    KernelSyntaxError: 'int' expects a compile-time value, got a value of type <[16], fp32>
      kernel+1:5, in integer_of_a_block
          int(tl.load(x + tl.arange(0, 16)))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: convert with .to(tl.int32)
    """,
    x="*fp32",
)
@blockdsl.jit
def integer_of_a_block(x):
    int(tl.load(x + tl.arange(0, 16)))


@refused(
    """
    TypeMismatchError: an integer literal fits 64 bits at most, got 1180591620717411303424
      kernel+1:17, in number_beyond_64_bits
          tl.store(x, 2**70 + tl.load(x))
                      ^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def number_beyond_64_bits(x):
    tl.store(x, 2**70 + tl.load(x))


@refused(
    """
    TypeMismatchError: a number or a block is expected, got [1.0] of type list
      kernel+1:5, in list_as_a_number
          tl.store(x, [1.0])
          ^^^^^^^^^^^^^^^^^^
      hint: strings, lists and objects stay on the host
    """,
    x="*fp32",
)
@blockdsl.jit
def list_as_a_number(x):
    tl.store(x, [1.0])


@refused(
    """
    MissingNameError: 'int_bitwidth' expects an integer type, got fp32
      kernel+1:5, in bits_of_a_float_type
          tl.float32.int_bitwidth
          ^^^^^^^^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def bits_of_a_float_type():
    tl.float32.int_bitwidth


@refused(
    """
    TypeMismatchError: 'sum' expects a compile-time axis, got tensor<int32>
      kernel+1:5, in axis_of_run_time
          tl.sum(tl.load(x + tl.arange(0, 16)), n)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
    n="i32",
)
@blockdsl.jit
def axis_of_run_time(x, n):
    tl.sum(tl.load(x + tl.arange(0, 16)), n)


@refused(
    """
    TypeMismatchError: 'arange' expects compile-time integers, got int32
      kernel+1:5, in extent_of_run_time
          tl.arange(0, n)
          ^^^^^^^^^^^^^^^
      hint: declare the parameter as `n: tl.constexpr`; for any number of elements use a constant extent, and mask=offsets < n
    """,
    n="i32",
)
@blockdsl.jit
def extent_of_run_time(n):
    tl.arange(0, n)


@blockdsl.must_use_result("what it gives is the next state")
@blockdsl.jit
def moved(state):
    return state + 1


@refused(
    """
    KernelSyntaxError: the result of 'moved' is not used
      kernel+1:5, in result_that_must_be_used
          moved(n)
          ^^^^^^^^
      hint: what it gives is the next state
    """,
    n="i32",
)
@blockdsl.jit
def result_that_must_be_used(n):
    moved(n)

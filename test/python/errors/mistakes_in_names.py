"""Names that mean nothing in a kernel, or nothing that it may use."""

from refusals import refused

import blockdsl
import blockdsl.language as tl

WIDTH = 16


def plain_function(x):
    return x + 1


@refused(
    """
    KernelSyntaxError: 'valeu' is not defined
      kernel+1:17, in undefined_name
          tl.store(x, valeu)  # noqa: F821
                      ^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def undefined_name(x):
    tl.store(x, valeu)  # noqa: F821


@refused(
    """
    MissingNameError: module 'blockdsl.language' has no attribute 'laod'
      kernel+1:17, in misspelled_function
          tl.store(x, tl.laod(x))
                      ^^^^^^^
      hint: did you mean 'load'?
    """,
    x="*fp32",
)
@blockdsl.jit
def misspelled_function(x):
    tl.store(x, tl.laod(x))


@refused(
    """
    MissingNameError: a block has no attribute 'summ'
      kernel+1:17, in misspelled_method
          tl.store(x, tl.load(x + tl.arange(0, 16)).summ(0))
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: did you mean 'sum'?
    """,
    x="*fp32",
)
@blockdsl.jit
def misspelled_method(x):
    tl.store(x, tl.load(x + tl.arange(0, 16)).summ(0))


@refused(
    """
    MissingNameError: module 'blockdsl.language.math' has no attribute 'tanh'
      kernel+1:5, in name_of_libdevice_in_a_submodule
          tl.math.tanh(1.0)
          ^^^^^^^^^^^^
      hint: write libdevice.tanh(...), after `from blockdsl.language.extra import libdevice` at the top of the file
    """,
)
@blockdsl.jit
def name_of_libdevice_in_a_submodule():
    tl.math.tanh(1.0)


@refused(
    """
    MissingNameError: module 'blockdsl.language.math' has no attribute 'exq'
      kernel+1:5, in misspelled_name_of_a_submodule
          tl.math.exq(1.0)
          ^^^^^^^^^^^
      hint: did you mean 'exp'?
    """,
)
@blockdsl.jit
def misspelled_name_of_a_submodule():
    tl.math.exq(1.0)


@refused(
    """
    KernelSyntaxError: the global 'WIDTH' is not a compile-time constant, got 16
      kernel+1:31, in global_that_is_no_constant
          tl.store(x + tl.arange(0, WIDTH), 0.0)
                                    ^^^^^
      hint: write WIDTH = tl.constexpr(16), or pass it as an argument
    """,
    x="*fp32",
)
@blockdsl.jit
def global_that_is_no_constant(x):
    tl.store(x + tl.arange(0, WIDTH), 0.0)


@refused(
    """
    KernelSyntaxError: 'plain_function' is a Python function, which a kernel cannot call
      kernel+1:17, in plain_python_function
          tl.store(x, plain_function(tl.load(x)))
                      ^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: decorate it with @blockdsl.jit, or with @tl.constexpr_function for compile-time values
    """,
    x="*fp32",
)
@blockdsl.jit
def plain_python_function(x):
    tl.store(x, plain_function(tl.load(x)))

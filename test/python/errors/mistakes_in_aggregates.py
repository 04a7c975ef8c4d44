"""Kernels that make instances of aggregate classes out of what does not fit."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@blockdsl.aggregate
class State:
    total: tl.tensor
    factor: tl.constexpr
    inner: tuple = ()


@blockdsl.aggregate
class Half:
    total: tl.tensor
    factor: tl.constexpr

    @tl.constexpr_function
    def __init__(self, total):
        self.total = total


@refused(
    """
    TypeMismatchError: 'State' expects the field 'factor' to be known when the kernel is compiled, got int32
      kernel+1:5, in runtime_value_for_a_constant_field
          State(n, n)
          ^^^^^^^^^^^
    """,
    n="i32",
)
@blockdsl.jit
def runtime_value_for_a_constant_field(n):
    State(n, n)


@refused(
    """
    TypeMismatchError: 'State' expects the field 'total' to be tensor, got 'text'
      kernel+1:5, in text_for_a_block
          State("text", 3)
          ^^^^^^^^^^^^^^^^
    """,
)
@blockdsl.jit
def text_for_a_block():
    State("text", 3)


@refused(
    """
    TypeMismatchError: 'State' missing a required argument: 'factor'
      kernel+1:5, in field_without_a_value
          State(n)
          ^^^^^^^^
      hint: its fields are total, factor, inner
    """,
    n="i32",
)
@blockdsl.jit
def field_without_a_value(n):
    State(n)


@refused(
    """
    TypeMismatchError: 'Half' expects a value for the field 'factor', got none
      kernel+1:5, in field_that_init_leaves_out
          Half(n)
          ^^^^^^^
      hint: set it in __init__, or give it a default
    """,
    n="i32",
)
@blockdsl.jit
def field_that_init_leaves_out(n):
    Half(n)


@refused(
    """
    TypeMismatchError: 'aggregate_replace' expects an instance of an aggregate class, got int32
      kernel+1:5, in replaces_in_a_number
          tl.aggregate_replace(n, total=1)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    n="i32",
)
@blockdsl.jit
def replaces_in_a_number(n):
    tl.aggregate_replace(n, total=1)


@refused(
    """
    TypeMismatchError: 'State' has no field 'sum'
      kernel+1:5, in replaces_a_field_that_is_none
          tl.aggregate_replace(State(n, 3), sum=1)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: its fields are total, factor, inner
    """,
    n="i32",
)
@blockdsl.jit
def replaces_a_field_that_is_none(n):
    tl.aggregate_replace(State(n, 3), sum=1)


@refused(
    """
    KernelSyntaxError: assignment to an attribute is not part of the kernel language
      kernel+2:5, in assigns_to_a_field
          state.total = n + 1
          ^^^^^^^^^^^^^^^^^^^
      hint: blocks do not change; build another with tl.where, or use tl.store on memory
    """,
    n="i32",
)
@blockdsl.jit
def assigns_to_a_field(n):
    state = State(n, 3)
    state.total = n + 1

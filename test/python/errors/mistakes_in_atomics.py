"""Atomic accesses that cannot be meant."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@refused(
    """
    TypeMismatchError: 'atomic_max' expects elements of fp32, fp64, int32, int64, uint32 or uint64, got fp16
      kernel+1:5, in largest_of_halves
          tl.atomic_max(x, 1.0)
          ^^^^^^^^^^^^^^^^^^^^^
      hint: keep them in memory of such a type, and convert the values
    """,
    x="*fp16",
)
@blockdsl.jit
def largest_of_halves(x):
    tl.atomic_max(x, 1.0)


@refused(
    """
    TypeMismatchError: 'atomic_or' expects elements of int32, int64, uint32 or uint64, got fp32
      kernel+1:5, in bits_of_floats
          tl.atomic_or(x, 1)
          ^^^^^^^^^^^^^^^^^^
      hint: keep them in memory of such a type, and convert the values
    """,
    x="*fp32",
)
@blockdsl.jit
def bits_of_floats(x):
    tl.atomic_or(x, 1)


@refused(
    """
    TypeMismatchError: 'atomic_add' expects elements of fp16, bf16, fp32, fp64, int32, int64, uint32 or uint64, got int8
      kernel+1:5, in sum_of_bytes
          tl.atomic_add(x, 1)
          ^^^^^^^^^^^^^^^^^^^
      hint: keep them in memory of such a type, and convert the values
    """,
    x="*i8",
)
@blockdsl.jit
def sum_of_bytes(x):
    tl.atomic_add(x, 1)


@refused(
    """
    TypeMismatchError: 'atomic_add' expects sem to be one of 'relaxed', 'acquire', 'release', 'acq_rel', got 'seq_cst'
      kernel+1:5, in unknown_semantics
          tl.atomic_add(x, 1, sem="seq_cst")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*i32",
)
@blockdsl.jit
def unknown_semantics(x):
    tl.atomic_add(x, 1, sem="seq_cst")


@refused(
    """
    TypeMismatchError: 'atomic_add' expects scope to be one of 'gpu', 'cta', 'sys', got 'grid'
      kernel+1:5, in unknown_scope
          tl.atomic_add(x, 1, scope="grid")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*i32",
)
@blockdsl.jit
def unknown_scope(x):
    tl.atomic_add(x, 1, scope="grid")


@refused(
    """
    TypeMismatchError: 'atomic_add' expects a pointer that may be written, got a const_pointer<int32>
      kernel+1:5, in update_of_a_constant
          tl.atomic_add(x, 1)
          ^^^^^^^^^^^^^^^^^^^
      hint: drop the tl.const annotation of the parameter
    """,
    x="*ki32",
)
@blockdsl.jit
def update_of_a_constant(x):
    tl.atomic_add(x, 1)


@refused(
    """
    TypeMismatchError: 'atomic_add' expects a scalar val with a scalar pointer, got a block of shape (16,)
      kernel+1:5, in block_of_values_at_one_pointer
          tl.atomic_add(x, tl.arange(0, 16))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: make the pointer a block: pointer + tl.arange(0, BLOCK)
    """,
    x="*i32",
)
@blockdsl.jit
def block_of_values_at_one_pointer(x):
    tl.atomic_add(x, tl.arange(0, 16))


@refused(
    """
    TypeMismatchError: 'atomic_cas' expects elements of 16, 32 or 64 bits, got int8
      kernel+1:5, in exchange_of_bytes
          tl.atomic_cas(x, 0, 1)
          ^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*i8",
)
@blockdsl.jit
def exchange_of_bytes(x):
    tl.atomic_cas(x, 0, 1)


@refused(
    """
    TypeMismatchError: 'atomic_load' expects elements that are integers or floats of at least 16 bits, got fp8e5
      kernel+1:5, in load_of_8_bit_floats
          tl.atomic_load(x)
          ^^^^^^^^^^^^^^^^^
    """,
    x="*fp8e5",
)
@blockdsl.jit
def load_of_8_bit_floats(x):
    tl.atomic_load(x)


@refused(
    """
    TypeMismatchError: 'atomic_load' expects sem to be one of 'acquire', 'relaxed', got 'release'
      kernel+1:5, in load_that_releases
          tl.atomic_load(x, sem="release")
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*i32",
)
@blockdsl.jit
def load_that_releases(x):
    tl.atomic_load(x, sem="release")


@refused(
    """
    TypeMismatchError: 'atomic_poll' expects elements that are integers of 16, 32 or 64 bits, got fp32
      kernel+1:5, in poll_of_floats
          tl.atomic_poll(x, 1.0)
          ^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*fp32",
)
@blockdsl.jit
def poll_of_floats(x):
    tl.atomic_poll(x, 1.0)


@refused(
    """
    TypeMismatchError: 'atomic_poll' expects a timeout_ns of at least 0, got -1
      kernel+1:5, in poll_into_the_past
          tl.atomic_poll(x, 1, timeout_ns=-1)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*i32",
)
@blockdsl.jit
def poll_into_the_past(x):
    tl.atomic_poll(x, 1, timeout_ns=-1)


@refused(
    """
    TypeMismatchError: 'atomic_poll' expects timeout_ns to be an integer scalar, got <[16], int32>
      kernel+1:5, in poll_for_a_block_of_times
          tl.atomic_poll(x, 1, timeout_ns=tl.arange(0, 16))
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*i32",
)
@blockdsl.jit
def poll_for_a_block_of_times(x):
    tl.atomic_poll(x, 1, timeout_ns=tl.arange(0, 16))

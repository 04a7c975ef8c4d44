"""Assembly that a kernel cannot have, and what a CPU does not read of it."""

from refusals import refused

import blockdsl
import blockdsl.language as tl


@refused(
    """
    TypeMismatchError: 'inline_asm_elementwise' expects asm and constraints as strings, got 5 and '=r,r'
      kernel+1:5, in assembly_that_is_no_text
          tl.inline_asm_elementwise(5, "=r,r", [tl.load(x)], tl.int32, True, 1)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*i32",
)
@blockdsl.jit
def assembly_that_is_no_text(x):
    tl.inline_asm_elementwise(5, "=r,r", [tl.load(x)], tl.int32, True, 1)


@refused(
    """
    TypeMismatchError: 'inline_asm_elementwise' expects dtype to be a type or a tuple of types, got 32
      kernel+1:5, in assembly_that_gives_no_type
          tl.inline_asm_elementwise("", "=r,r", [tl.load(x)], 32, True, 1)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      hint: such as tl.int32
    """,
    x="*i32",
)
@blockdsl.jit
def assembly_that_gives_no_type(x):
    tl.inline_asm_elementwise("", "=r,r", [tl.load(x)], 32, True, 1)


@refused(
    """
    TypeMismatchError: 'inline_asm_elementwise' expects pack to divide the 16 elements, and to be positive, got 3
      kernel+1:5, in assembly_of_groups_that_do_not_fit
          tl.inline_asm_elementwise("", "=r,r", [tl.load(x + tl.arange(0, 16))], tl.int32, True, 3)
          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """,
    x="*i32",
)
@blockdsl.jit
def assembly_of_groups_that_do_not_fit(x):
    tl.inline_asm_elementwise("", "=r,r", [tl.load(x + tl.arange(0, 16))], tl.int32, True, 3)

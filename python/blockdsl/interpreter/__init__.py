"""Runs a kernel as plain Python, program by program: ``BLOCKDSL_INTERPRET=1``. Breakpoints and prints work.

Every op is its reference facet, in NumPy, on the memory of the arguments. An access outside of that memory is an error
here, where compiled code would read or write what lies there.
"""

from blockdsl.interpreter.arguments import number, scalar
from blockdsl.interpreter.memory import Memory, Segment
from blockdsl.interpreter.programs import BUILTINS, Interpreter, run

__all__ = ["BUILTINS", "Interpreter", "Memory", "Segment", "number", "run", "scalar"]

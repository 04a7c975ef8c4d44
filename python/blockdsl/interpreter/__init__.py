"""Interpreter (``BLOCKDSL_INTERPRET=1``), which runs a kernel as plain Python, program by program.

Breakpoints and prints work. Every op runs its NumPy reference on the memory of the arguments. An access outside of that
memory is an error, unlike in compiled code.
"""

from blockdsl.interpreter.arguments import number, scalar
from blockdsl.interpreter.memory import Memory, Segment
from blockdsl.interpreter.programs import BUILTINS, Interpreter, run

__all__ = ["BUILTINS", "Interpreter", "Memory", "Segment", "number", "run", "scalar"]

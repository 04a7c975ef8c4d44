"""Launch errors under the names of Triton's module."""

from blockdsl.errors import BlockdslError as InterpreterError
from blockdsl.errors import BlockdslError as TritonError
from blockdsl.errors import CompilationError as PTXASError
from blockdsl.errors import OutOfResourcesError as OutOfResources
from blockdsl.errors import TuningError as AutotunerError

__all__ = ["AutotunerError", "InterpreterError", "OutOfResources", "PTXASError", "TritonError"]

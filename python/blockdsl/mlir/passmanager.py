"""Pass pipelines, parsed from text.

Example:
    PassManager.parse("builtin.module(blockdsl-to-linalg)", context).run(module.operation)
"""

from .._native import PassManager as PassManager

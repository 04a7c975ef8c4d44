"""Description of a target, under the name of Triton's module."""

from blockdsl.language.target_info import GPUTarget

__all__ = ["GPUTarget"]

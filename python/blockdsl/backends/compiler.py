"""What host programs take from Triton's module of this name: the description of a target."""

from blockdsl.language.target_info import GPUTarget

__all__ = ["GPUTarget"]

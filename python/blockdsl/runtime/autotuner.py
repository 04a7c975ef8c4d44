"""Tuned kernels, under the names of Triton's module."""

from blockdsl.autotuner import Autotuner, Config, Heuristics, autotune, heuristics
from blockdsl.errors import OutOfResourcesError as OutOfResources
from blockdsl.runtime.interface import KernelInterface

__all__ = ["Autotuner", "Config", "Heuristics", "KernelInterface", "OutOfResources", "autotune", "heuristics"]

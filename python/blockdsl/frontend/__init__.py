"""From a Python function to a module of the tt dialect. It knows no target."""

from .build import build_module as build_module
from .source import KernelSource as KernelSource
from .source import Specialization as Specialization

"""All ops of random modules, by name."""

from . import accesses, arithmetic, assembly, conversions, moving, regions
from .op import OPS

__all__ = ["OPS", "accesses", "arithmetic", "assembly", "conversions", "moving", "regions"]

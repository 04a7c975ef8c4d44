"""All ops of random modules, by name."""

from . import accesses, arithmetic, conversions, moving, regions
from .op import OPS

__all__ = ["OPS", "accesses", "arithmetic", "conversions", "moving", "regions"]

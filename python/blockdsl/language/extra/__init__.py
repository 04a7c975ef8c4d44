"""Functions beyond the core language."""

from . import cuda as cuda
from . import libdevice as libdevice

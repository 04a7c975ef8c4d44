"""Functions beyond the core language."""

from . import libdevice as libdevice

"""MLIR under the names of the upstream Python bindings: ``ir``, ``passmanager``, ``translate``."""

from .printing import print_tt as print_tt

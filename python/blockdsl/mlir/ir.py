"""Contexts, modules, operations and attributes.

Example:
    from blockdsl.mlir import ir

    module = ir.Module.parse(text, ir.Context())
    module.operation.verify()
"""

from .._native import Attribute as Attribute
from .._native import Context as Context
from .._native import Module as Module
from .._native import Operation as Operation

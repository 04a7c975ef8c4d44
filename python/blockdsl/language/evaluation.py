"""Evaluation of ops by their NumPy references. The package ``interpreter`` adds programs and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import numerics, types
from .constexpr import unwrap
from .op import Op
from .tensor import tensor
from .types import Scalar, Type, dtype

_BY_NUMPY: dict[Any, dtype] = {}
for _kind in types.SCALARS:
    if not numerics.narrow(_kind):
        _BY_NUMPY.setdefault(numerics.carrier(_kind), _kind)


class Evaluation:
    """Mode that applies ops to tensors whose handles are NumPy arrays."""

    def run(self, op: Op, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Applies an op: binds its arguments, promotes them, and evaluates its reference."""
        arguments: Sequence[Any] = [unwrap(value) for value in op.bind(args, kwargs)]
        if op.operands is not None:
            arguments = op.operands(self, *arguments)
        assert op.reference_rule is not None
        if op.reference_is_typed:
            return op.reference_rule(self, *arguments)
        arrays = [value.handle if isinstance(value, tensor) else value for value in arguments]
        result = op.reference_rule(*arrays)
        if result is None:
            return None
        return self.typed(result, *(value for value in arguments if isinstance(value, tensor)))

    def typed(self, values: Any, *operands: tensor) -> tensor:
        """Returns NumPy's result as a tensor, of the type of the first operand with this NumPy type, or else of the
        latter's own type.

        Any float type matches a float: a reference may compute in float64, and its result is rounded here.
        """
        array = np.asarray(values)
        kind: Scalar | None = None
        for operand in operands:
            floats = operand.dtype.is_floating() and array.dtype.kind == "f"
            if floats or (numerics.carrier(operand.dtype) == array.dtype and not operand.dtype.is_ptr()):
                kind = operand.dtype
                break
        if kind is None:
            kind = _BY_NUMPY[array.dtype]
        return tensor(numerics.fit(array, kind), types.block(kind, array.shape))

    def call(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Calls a jit function."""
        raise NotImplementedError

    def constant(self, value: int | float | bool, type: Type) -> tensor:
        """Returns a scalar or block whose elements all equal a number."""
        kind = numerics.fit(np.asarray(numerics.wrapped(value, type.scalar)), type.scalar)
        return tensor(np.broadcast_to(kind, type.shape), type, value)

"""Python's ``and``, ``or`` and ``not`` on bools. Both sides are evaluated; bitwise ops are in elementwise.py."""

from __future__ import annotations

from typing import Any

from ..errors import expects
from .elementwise import binary
from .numerics import Array
from .op import Emitter, Mode, op
from .promotion import Rule, together
from .shape import as_tensor
from .tensor import tensor
from .types import int1


def _logical(name: str) -> Rule:
    def rule(mode: Mode, *operands: Any) -> tuple[Any, ...]:
        values = [as_tensor(mode, operand) for operand in operands]
        for value in values:
            expects(
                value.dtype == int1,
                f"'{name}' expects bools, got {value.dtype}",
                hint="compare with != 0; for bits use &, | and ~",
            )
        return together(mode, *values)

    return rule


logical_and = binary(
    "logical_and",
    "The bools ``x and y``, both evaluated.\n\n    Example:\n        inside = a and b\n    ",
    _logical("and"),
    lambda e, x, y: e.create("arith.andi", x, y),
    lambda x, y: x & y,
    method=True,
)
logical_or = binary(
    "logical_or",
    "The bools ``x or y``, both evaluated.\n\n    Example:\n        outside = a or b\n    ",
    _logical("or"),
    lambda e, x, y: e.create("arith.ori", x, y),
    lambda x, y: x | y,
    method=True,
)


@op(operands=_logical("not"))
def logical_not(x: tensor) -> tensor:
    """The bools ``not x``.

    Example:
        outside = not inside
    """


@logical_not.emit
def _emit_logical_not(e: Emitter, x: tensor) -> Any:
    return e.create("arith.xori", x, e.constant(True, x.type))


@logical_not.reference
def _reference_logical_not(x: Array) -> Any:
    return ~x

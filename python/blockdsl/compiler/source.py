"""What Triton's ``compile`` takes: a kernel with the types and values that it is compiled for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class ASTSource:
    """A kernel, the types of its arguments, and the values of the others.

    Attributes:
        fn: The kernel.
        name: Its name.
        signature: The type of each parameter; the divisor that ``attrs`` give it follows a colon.
        constants: The values of parameters, by name.

    Example:
        blockdsl.compile(ASTSource(double, {"x_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {"BLOCK": 1024}))
    """

    def __init__(
        self,
        fn: Any,
        signature: Mapping[str, Any],
        constexprs: Mapping[Any, Any] | None = None,
        attrs: Mapping[Any, Sequence[tuple[str, Any]]] | None = None,
    ) -> None:
        self.fn = fn
        self.name = fn.__name__
        self.constants = {self._named(place): value for place, value in (constexprs or {}).items()}
        divisors = {self._named(place): dict(each).get("tt.divisibility") for place, each in (attrs or {}).items()}
        self.signature = {
            name: f"{kind}:{divisors[name]}" if divisors.get(name) else kind
            for name, kind in signature.items()
            if kind != "constexpr" and name not in self.constants
        }

    def _named(self, place: Any) -> str:
        """A parameter by its name; Triton also counts them, ``(2,)``."""
        place = place[0] if isinstance(place, tuple) else place
        return self.fn.arg_names[place] if isinstance(place, int) else str(place)

"""Program that tools/check_wheel.py type-checks against the installed wheel, in mypy's strict mode."""

from typing import Any, NamedTuple

import numpy as np

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import BlockdslError, LaunchError


class Vector(NamedTuple):
    """An argument of a launch."""

    data: Any
    stride: int


@blockdsl.jit
def scale(x: Any, n: int, factor: float, BLOCK: tl.constexpr) -> None:
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x.data + at * x.stride, factor * tl.load(x.data + at * x.stride, mask=at < n), mask=at < n)


def main() -> int:
    """Returns the number of errors."""
    x = np.ones(100, np.float32)
    kernel = scale[(blockdsl.cdiv(100, 64),)](Vector(x, 1), 100, 2.0, BLOCK=64)
    text: str = kernel.asm["llir"]
    compiled: blockdsl.CompiledKernel = blockdsl.compile(
        scale, {"x": Vector("*fp32", 1), "n": "i32", "factor": "fp32"}, {"BLOCK": 64}
    )
    try:
        compiled[(1,)](x, 100, 2.0)
    except LaunchError as error:
        message: str = error.message
        return len(message) == 0 or "define" not in text
    except BlockdslError:
        return 2
    blockdsl.jit(0)  # type: ignore[call-overload]
    return 1


if __name__ == "__main__":
    raise SystemExit(main())

"""Tests of unspecified signs of zeros and NaNs: values computed from them are no difference.

Quotients are exact, but on a GPU.
"""

from __future__ import annotations

import numpy as np
import pytest

import blockdsl.language as tl
from blockdsl.language import types
from blockdsl.language.extra import libdevice
from blockdsl.language.op import running
from blockdsl.language.tensor import tensor
from fuzz.bounded import Bounded
from fuzz.bounds import BoundedInterpreter
from fuzz.cuda import GPUInterpreter

ZEROS = {
    "product": "tl.maximum(x * 0.0, 0.0) * x",
    "product with zero": "tl.maximum(x * 0.0, 0.0) * 0.0",
    "quotient": "tl.maximum(x * 0.0, 0.0) / 8",
}
SIGNS = {
    "sign": "libdevice.signbit(x * float('nan'))",
    "taken sign": "libdevice.copysign(x, x * float('nan'))",
    "sign of either zero": "libdevice.signbit(tl.maximum(x * 0.0, 0.0))",
}
QUOTIENTS = ["x / 7.0", "7.0 / x", "tl.fdiv(x, 3.0)", "x.to(tl.float16) / 3.0", "x.to(tl.int32) / 7"]
KNOWN = {
    "product": "x * 0.0",
    "sign": "libdevice.signbit(x * 0.0)",
    "taken sign": "libdevice.copysign(x, x * 0.0)",
}


def errors_of(text: str, mode: type[BoundedInterpreter] = BoundedInterpreter) -> list[float]:
    x = tensor(np.asarray([-3.0, -1.0], np.float32), types.block(types.float32, (2,)))
    with running(mode((1, 1, 1))), np.errstate(all="ignore"):
        result = eval(text, {"tl": tl, "libdevice": libdevice, "x": x})
    return result.error.tolist() if isinstance(result, Bounded) else [0.0, 0.0]


@pytest.mark.parametrize("text", ZEROS.values(), ids=ZEROS)
def test_a_zero_of_either_sign_is_not_compared_bit_by_bit(text: str) -> None:
    assert min(errors_of(text)) > 0


@pytest.mark.parametrize("text", SIGNS.values(), ids=SIGNS)
def test_value_depending_on_unspecified_sign_is_unknown(text: str) -> None:
    assert errors_of(text) == [np.inf, np.inf]


@pytest.mark.parametrize("text", KNOWN.values(), ids=KNOWN)
def test_a_sign_that_is_known_is_compared(text: str) -> None:
    assert errors_of(text) == [0.0, 0.0]


@pytest.mark.parametrize("text", QUOTIENTS)
def test_quotients_of_exact_numbers_are_exact_but_on_a_gpu(text: str) -> None:
    assert errors_of(text) == [0.0, 0.0]
    assert min(errors_of(text, GPUInterpreter)) > 0

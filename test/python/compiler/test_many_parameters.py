"""Tests of kernels with hundreds of parameters, and with too many."""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import KernelSyntaxError, LaunchError
from blockdsl.tools.tensor_descriptor import TensorDescriptor


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Any]:
    def make(parameters: str, body: str) -> Any:
        text = f"@blockdsl.jit\ndef many(x, {parameters}):\n    {body}\n"
        name = "<many parameters>"
        monkeypatch.setitem(linecache.cache, name, (len(text), None, text.splitlines(True), name))
        names: dict[str, Any] = {"blockdsl": blockdsl, "tl": tl}
        exec(compile(text, name, "exec"), names)
        return names["many"]

    return make


@pytest.mark.parametrize("count", [300, 999])
@pytest.mark.parametrize("kind", ["", ": tl.constexpr"])
def test_maximum_number_of_parameters(kind: str, count: int, made: Callable[[str, str], Any]) -> None:
    names = [f"a{at}" for at in range(count)]
    kernel = made(", ".join(name + kind for name in names), f"tl.store(x, {' + '.join(names[:3] + names[-3:])})")
    x = np.zeros(1, np.float32)
    kernel[(1,)](x, *map(float, range(count)))
    assert x[0] == 0 + 1 + 2 + 3 * count - 6


def test_too_many_parameters(made: Callable[[str, str], Any]) -> None:
    with pytest.raises(KernelSyntaxError) as got:
        made(", ".join(f"a{at}" for at in range(1000)), "tl.store(x, a0)")
    assert got.value.message == "a kernel has at most 1000 parameters, got 1001"
    assert got.value.hint == "pass values that are known when the kernel is compiled in a tuple, others in a tensor"
    assert got.value.location is not None
    assert got.value.location.line == 2


def test_too_many_values_of_descriptors(made: Callable[[str, str], Any]) -> None:
    count = 120
    kernel = made(", ".join(f"a{at}" for at in range(count)), "tl.store(x, 1.0)")
    x = np.zeros((1, 1, 1, 16), np.float32)
    described = TensorDescriptor(x, x.shape, [16, 16, 16, 1], [1, 1, 1, 16])
    with pytest.raises(LaunchError) as got:
        kernel[(1,)](x, *[described] * count)
    assert got.value.message == f"the arguments of a kernel are at most 1024 values, got {1 + 9 * count}"
    assert got.value.hint == "a tensor descriptor counts with each of its extents and strides; pass numbers in a tensor"
    assert got.value.location is not None
    assert got.value.location.file == __file__

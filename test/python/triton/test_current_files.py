"""Tests of files in errors of stock kernels, with two copies of a program that share one cache of Triton's."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from blockdsl.errors import KernelAssertionError, LaunchError

HELPERS = """\
import triton
import triton.language as tl


@triton.jit
def put(out, at, value):
    tl.store(out + at, value)
"""

KERNELS = """\
import triton
import triton.language as tl

import current_files_helpers as helpers


@triton.jit
def direct(out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, 1.0, mask=at < n)


@triton.jit
def calling(out, n):
    helpers.put(out, n, 1.0)


@triton.jit
def asserting(out, n):
    tl.device_assert(n < 4, "n is small")
    tl.store(out, n)
"""


def loaded(directory: Path, name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Imports a module from a copy of its own, under the same name for all copies."""
    directory.mkdir(exist_ok=True)
    path = directory / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, name, module)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[ModuleType]:
    found = []
    for name in ("first", "second"):
        loaded(tmp_path / name, "current_files_helpers", HELPERS, monkeypatch)
        found.append(loaded(tmp_path / name, "current_files_kernels", KERNELS, monkeypatch))
    return found


@pytest.mark.parametrize("is_warm", [False, True])
def test_a_refused_access(copies, is_warm):
    for module in copies:
        if is_warm:
            for _ in range(2):
                module.direct[(1,)](torch.zeros(64), 64, BLOCK=64)
        with pytest.raises(LaunchError, match="stores to element 63") as caught:
            module.direct[(1,)](torch.zeros(10), 64, BLOCK=64)
        assert caught.value.location is not None
        assert (caught.value.location.file, caught.value.location.line) == (module.__file__, 10)


def test_a_refused_access_in_a_function_of_another_file(copies):
    for module in copies:
        with pytest.raises(LaunchError, match="stores to element 12") as caught:
            module.calling[(1,)](torch.zeros(10), 12)
        assert caught.value.location is not None
        assert (caught.value.location.file, caught.value.location.line) == (module.helpers.__file__, 7)
        assert [(call.file, call.line) for call in caught.value.calls] == [(module.__file__, 15)]


@pytest.mark.parametrize("is_warm", [False, True])
def test_a_failed_assertion(copies, is_warm):
    for module in copies:
        if is_warm:
            for _ in range(2):
                module.asserting[(1,)](torch.zeros(1), 2, debug=True)
        with pytest.raises(KernelAssertionError, match="n is small") as caught:
            module.asserting[(1,)](torch.zeros(1), 9, debug=True)
        assert caught.value.location is not None
        assert (caught.value.location.file, caught.value.location.line) == (module.__file__, 20)

"""Errors that host code written for Triton catches, by the classes that it names."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest
import stock_kernels as stock
import torch
import triton
from triton.compiler.errors import CompilationError, CompileTimeAssertionFailure
from triton.runtime.errors import OutOfResources

import blockdsl
from blockdsl.compiler import cpu_kernel as compiler_kernel
from blockdsl.errors import (
    BlockdslError,
    KernelAssertionError,
    KernelError,
    LaunchError,
    OutOfResourcesError,
    TypeMismatchError,
)
from blockdsl.triton.errors import as_tritons


def launch(*args: Any, grid: Any = (1,), **kwargs: Any) -> Any:
    return lambda: stock.add[grid](*args, **kwargs)


X = torch.ones(16)
MISTAKES = {
    "an argument is missing": (launch(X, X, X, BLOCK=16), TypeError),
    "a constant is missing": (launch(X, X, X, 16), TypeError),
    "an argument too many": (launch(X, X, X, 16, 16, 17), TypeError),
    "a name that the kernel has not": (launch(X, X, X, 16, BLOCK=16, WIDTH=3), KeyError),
    "text": (launch(X, X, X, "a", BLOCK=16), TypeError),
    "a list": (launch(X, [1], X, 16, BLOCK=16), TypeError),
    "no memory": (launch(X, torch.ones(16, device="meta"), X, 16, BLOCK=16), ValueError),
    "a grid of floats": (launch(X, X, X, 16, BLOCK=16, grid=(1.5,)), TypeError),
    "a negative grid": (launch(X, X, X, 16, BLOCK=16, grid=(-1,)), ValueError),
    "no grid": (lambda: stock.add(X, X, X, 16, BLOCK=16), RuntimeError),
    "a block of no power of two": (launch(X, X, X, 16, BLOCK=12), CompilationError),
    "a false assertion of the compiler": (lambda: stock.never_compiled[(1,)](X), CompileTimeAssertionFailure),
    "assembly of a GPU": (lambda: stock.loading_a_matrix[(1,)](X), CompilationError),
    "a false assertion": (lambda: stock.always_positive[(1,)](-X), RuntimeError),
    "a false assertion as the interpreter has it": (lambda: stock.always_positive[(1,)](-X), AssertionError),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_raise_triton_classes(mistake: str) -> None:
    run, expected = MISTAKES[mistake]
    with pytest.raises(expected):
        run()


def test_own_errors_keep_their_class() -> None:
    with pytest.raises(KernelError) as caught:
        stock.loading_a_matrix[(1,)](X)
    error = caught.value
    assert isinstance(error, CompilationError)
    assert type(error).__qualname__ == blockdsl.errors.CompilationError.__qualname__
    assert error.location is not None
    assert error.location.file == stock.__file__
    assert as_tritons(error) is error
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert (str(again), again.location) == (str(error), error.location)


def test_config_out_of_resources_is_skipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path))
    checked: Callable[..., int] = compiler_kernel.checked_stack

    def limited(program: Any, code: bytes) -> int:
        if "256xf32" in program.text:
            raise OutOfResourcesError("kernel 'add' needs 9 bytes of stack, a launch has at most 8")
        return checked(program, code)

    monkeypatch.setattr(compiler_kernel, "checked_stack", limited)
    x, y, out = torch.randn(3, 500)
    grid = lambda meta: (triton.cdiv(500, meta["BLOCK"]),)  # noqa: E731 - as programs write it
    with pytest.raises(OutOfResources, match="needs 9 bytes of stack"):
        stock.add[grid](x, y, out, 500, BLOCK=256)
    tuned = triton.autotune([triton.Config({"BLOCK": 256}), triton.Config({"BLOCK": 128})], key=["n"])(stock.add)
    tuned[grid](x, y, out, 500)
    assert torch.equal(out, x + y)
    assert tuned.best_config.kwargs == {"BLOCK": 128}


@pytest.mark.parametrize("kind", [BlockdslError, LaunchError, KernelAssertionError])
def test_an_error_that_triton_has_no_class_for(kind: type[BlockdslError]) -> None:
    error = kind("it is")
    assert as_tritons(error) is error
    assert type(error) is kind


def test_classes_of_errors_in_our_own_language() -> None:
    assert issubclass(KernelAssertionError, (RuntimeError, AssertionError))
    assert issubclass(LaunchError, TypeError)
    assert issubclass(LaunchError, ValueError)
    assert not issubclass(TypeMismatchError, TypeError)

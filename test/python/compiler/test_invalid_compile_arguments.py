"""Tests of wrong arguments of compile and jit: the message, the hint, and the caller's line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import kernels
import pytest

import blockdsl
from blockdsl.errors import BlockdslError, KernelSyntaxError, LaunchError, TargetError, TypeMismatchError

TYPES = {"x_ptr": "*fp32", "y_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32"}
VALUES = {"BLOCK": 128}


def function(x): ...


compile_any: Any = blockdsl.compile

CASES: list[tuple[Callable[[], object], type[BlockdslError], str, str]] = [
    (lambda: compile_any(kernels.add, ["*fp32"], VALUES), LaunchError,
     "the signature of kernel 'add' is expected to be a dict by the names of parameters, got ['*fp32']",
     "its parameters are x_ptr, y_ptr, out_ptr, n, BLOCK"),
    (lambda: compile_any(kernels.add, "*fp32,*fp32", VALUES), LaunchError,
     "the signature of kernel 'add' is expected to be a dict by the names of parameters, got '*fp32,*fp32'", "x_ptr, y_ptr"),
    (lambda: compile_any(kernels.add, TYPES, 128), LaunchError, "the constexprs of kernel 'add' is expected", "x_ptr, y_ptr"),
    (lambda: blockdsl.compile(kernels.add, {**TYPES, "z": "i32"}, VALUES), LaunchError,
     "kernel 'add' has no parameter 'z', which the signature names", "its parameters are x_ptr, y_ptr, out_ptr, n, BLOCK"),
    (lambda: blockdsl.compile(kernels.add, TYPES, {"BLOK": 128}), LaunchError,
     "kernel 'add' has no parameter 'BLOK', which the constexprs names", "its parameters are"),
    (lambda: blockdsl.compile(kernels.add, TYPES, {"n": 5, **VALUES}), LaunchError,
     "parameter 'n' of kernel 'add' has type 'i32' in the signature, and value 5 in the constexprs", "run-time"),
    (lambda: blockdsl.compile(kernels.add, {**TYPES, "x_ptr": "*fp32:a"}, VALUES), LaunchError,
     "after the colon of 'x_ptr' a number is expected that its values are multiples of, got '*fp32:a'", '"*fp32:16"'),
    (lambda: blockdsl.compile(kernels.add, {**TYPES, "x_ptr": "*fp32:"}, VALUES), LaunchError, "got '*fp32:'", "16"),
    (lambda: blockdsl.compile(kernels.add, {**TYPES, "x_ptr": "*fp32:0"}, VALUES), LaunchError, "got '*fp32:0'", "16"),
    (lambda: compile_any(function, TYPES, VALUES), LaunchError,
     "compile expects a kernel or the path of a .ttir file, got function <function function", "@blockdsl.jit above it"),
    (lambda: blockdsl.compile("add.ttir", TYPES), LaunchError,
     "the module in 'add.ttir' has the types of its parameters, got others for x_ptr, y_ptr, out_ptr, n", "leave signature"),
    (lambda: blockdsl.jit(3), KernelSyntaxError, "a kernel is made of a function, got int 3", "above a def"),  # type: ignore[call-overload]
    (lambda: blockdsl.jit(int), KernelSyntaxError, "a kernel is made of a function, got type <class 'int'>", "def"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "kind", "message", "hint"), CASES, ids=[str(index) for index in range(len(CASES))])
def test_invalid_compile_argument(
    call: Callable[[], object], kind: type[BlockdslError], message: str, hint: str
) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert message in caught.value.message
    assert hint in str(caught.value.hint)
    assert caught.value.location is not None
    assert Path(caught.value.location.file).parent == Path(__file__).parent


@pytest.mark.parametrize(("name", "hint"), [
    ("int", "did you mean 'int8'?"), ("*float32", "did you mean 'fp32'?"), ("fp33", "did you mean 'fp32'?"),
    ("tensor", "known are B, bf16, "),
])  # fmt: skip
def test_invalid_type(name: str, hint: str) -> None:
    with pytest.raises(TypeMismatchError) as caught:
        blockdsl.compile(kernels.add, {**TYPES, "n": name}, VALUES)
    assert caught.value.message.startswith("for 'n' a type's name is expected, got '")
    assert str(caught.value.hint).startswith(hint)


def test_invalid_target() -> None:
    with pytest.raises(TargetError, match="got 'rocm'"):
        blockdsl.compile(kernels.add, TYPES, VALUES, target="rocm")

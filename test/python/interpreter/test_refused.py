"""Tests of errors of the interpreter, its own and those of a launch."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.errors import KernelError, KernelSyntaxError, LaunchError, TypeMismatchError
from blockdsl.interpreted import InterpretedFunction
from blockdsl.language.op import running
from blockdsl.language.types import get_int_dtype


@blockdsl.jit
def stored(x, y):
    tl.store(x, y)


@blockdsl.jit
def integer_of_a_block(x):
    int(tl.load(x + tl.arange(0, 4)))


@blockdsl.jit
def loop_to_a_float(x):
    for _ in range(tl.load(x)):
        pass


@blockdsl.jit
def text_added_to_a_number(x):
    tl.store(x, 1 + "text")


@blockdsl.jit
def calls_itself(x):
    calls_itself(x)


@blockdsl.must_use_result("it is the next")
@blockdsl.jit
def next_of(x):
    return x + 1


@blockdsl.jit
def leaves_a_result(x):
    next_of(x)


@blockdsl.jit
def leaves_a_pointer(x):
    pointer = tl.make_block_ptr(x, (4,), (1,), (0,), (4,), (0,))
    pointer.advance((1,))


@blockdsl.jit
def symbol_nobody_knows(x):
    known = {(tl.float32,): ("__nv_unheard_of", tl.float32)}
    tl.extern_elementwise("", "", (tl.load(x),), known, True)


@blockdsl.jit
def sum_by_a_lambda(x):
    tl.reduce(tl.load(x + tl.arange(0, 4)), 0, lambda a, b: a + b)


@pytest.mark.parametrize(
    ("kernel", "kind", "words", "line"),
    [
        (integer_of_a_block, KernelSyntaxError, "'int' expects a compile-time value, got a value of type", 2),
        (loop_to_a_float, TypeMismatchError, "'range' expects integer scalars, got fp32", 2),
        (text_added_to_a_number, TypeMismatchError,
         "compile-time values do not combine: unsupported operand type(s) for +: 'int' and 'str'", 2),
        (sum_by_a_lambda, KernelSyntaxError, "'lambda' is not part of the kernel language", 2),
        (calls_itself, KernelSyntaxError, "'calls_itself' calls itself, and recursion is not part of", 2),
        (leaves_a_result, KernelSyntaxError, "the result of 'next_of' is not used", 2),
        (leaves_a_pointer, KernelSyntaxError, "the result of 'advance' is not used", 3),
        (symbol_nobody_knows, TypeMismatchError,
         "the interpreter has no meaning for the symbol '__nv_unheard_of'", 3),
    ],
)  # fmt: skip
def test_kernel(kernel: Any, kind: type[Exception], words: str, line: int) -> None:
    with pytest.raises(kind) as got:
        interpreter.run(kernel.source, {"x": np.zeros(4, np.float32)}, (1,))
    assert got.value.message.startswith(words)  # type: ignore[attr-defined]
    location = got.value.location  # type: ignore[attr-defined]
    assert (location.file, location.line) == (__file__, kernel.source.line + line)


def as_python(value):
    return [1, 2][value], int(value)


@blockdsl.jit
def calls_python(x, y):
    as_python(tl.load(x + tl.arange(0, 4)) if y is None else y)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "an integer is expected, got <[4], fp32>"),
        (7, "Python cannot run the kernel: IndexError: list index out of range"),
    ],
)
def test_a_function_that_is_not_the_kernels(value: Any, words: str) -> None:
    """The error is in its own line, which the front end does not reach."""
    with pytest.raises(KernelError) as got:
        interpreter.run(calls_python.source, {"x": np.zeros(4, np.float32), "y": value}, (1,))
    assert got.value.message == words
    assert got.value.location is not None
    assert got.value.location.function == "as_python"


def test_an_integer_of_a_block() -> None:
    with running(interpreter.Interpreter((1, 1, 1))), pytest.raises(KernelSyntaxError) as got:
        int(tl.zeros((4,), tl.int32))
    assert got.value.message == "'int' must be a single value, got a block of shape (4,)"


@blockdsl.jit
def indexes_a_pointer(x, n):
    tl.store(x, x[n])


@blockdsl.jit
def multiplies_as_numpy(x, n):
    tl.store(x + tl.arange(0, n), 1.0)


@blockdsl.jit
def assigns_an_element(x, n):
    x[n] = 1.0


@blockdsl.jit
def calls_numpy(x, n):
    tl.store(x, np.exp(tl.load(x + n)))


@blockdsl.jit
def misspells(x, n):
    tl.store(x, offset + n)  # noqa: F821


@pytest.mark.parametrize(
    "kernel", [indexes_a_pointer, multiplies_as_numpy, assigns_an_element, calls_numpy, misspells],
    ids=lambda kernel: kernel.__name__,
)  # fmt: skip
def test_messages_match_the_front_end(kernel: Any) -> None:
    messages = []
    for launched in (kernel, InterpretedFunction(kernel.fn)):
        with pytest.raises(KernelError) as got:
            launched[(1,)](torch.zeros(4), 3)
        messages.append(str(got.value))
    assert messages[0] == messages[1]
    assert "Python cannot run" not in messages[0]


def test_a_tensor_on_a_gpu() -> None:
    elsewhere = SimpleNamespace(data_ptr=lambda: 4096, device=torch.device("cuda", 0), dtype=torch.float32)
    with pytest.raises(LaunchError, match="'x' is on cuda:0, and the interpreter runs on the CPU") as got:
        interpreter.run(stored.source, {"x": elsewhere, "y": 1.0}, (1,))
    assert got.value.location is not None


def test_an_interpreted_kernel_is_not_compiled() -> None:
    with pytest.raises(LaunchError) as got:
        blockdsl.compile(InterpretedFunction(stored.fn), {"x": "*fp32", "y": "fp32"})  # type: ignore[arg-type]
    assert got.value.message == "kernel 'stored' is interpreted, and so not compiled"
    assert got.value.hint == "unset BLOCKDSL_INTERPRET"


class Raises:
    """An object whose attributes and text raise errors."""

    @property
    def dtype(self) -> None:
        raise ValueError("no dtype")

    def __repr__(self) -> str:
        raise ValueError("no text")


class OfDLPack:
    """An object that returns an invalid capsule."""

    def __dlpack__(self, **_: object) -> int:
        return 3

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


class Described:
    """A descriptor with an invalid block."""

    base, shape, strides, padding = np.zeros(4, np.float32), [4], [1], "zero"
    block_shape = (3,)


VALUES: dict[str, Callable[[], object]] = {
    "a module": lambda: np,
    "one that raises": Raises,
    "a broken capsule": OfDLPack,
    "a sparse tensor": lambda: torch.eye(3).to_sparse(),
    "a function": lambda: len,
    "a class": lambda: int,
    "a dict": dict,
    "a number of 70 bits": lambda: 2**70,
    "a complex tensor": lambda: torch.zeros(3, dtype=torch.complex64),
    "another byte order": lambda: np.zeros(3, ">f4"),
    "times": lambda: np.zeros(3, "datetime64[s]"),
    "a date": lambda: np.datetime64("2020"),
    "a range in a tuple": lambda: (1, range(3)),
    "a block of three": Described,
}
GRIDS: dict[str, object] = {
    "none": None, "a float": 1.5, "of no size": (), "of four": (1, 2, 3, 4), "negative": (-1,), "of 2**31": (2**31,),
    "a text": (1, "a"), "a bool": (True,), "of too many": (2**31 - 1, 2**31 - 1, 4), "one that raises": (Raises(),),
    "a function without a parameter": lambda: 1, "a function that gives nothing": lambda _: None, "a module": np,
}  # fmt: skip


def _refusal(launch: Callable[[], object]) -> str:
    with pytest.raises(blockdsl.errors.BlockdslError) as got:
        launch()
    assert got.value.location is not None
    assert got.value.location.file == __file__
    return f"{type(got.value).__name__}: {got.value.message}".replace("InterpretedFunction", "JITFunction")


@pytest.mark.parametrize("what", VALUES)
def test_an_argument_is_refused_as_by_a_launch(what: str) -> None:
    interpreted, value, x = InterpretedFunction(stored.fn), VALUES[what](), np.zeros(4, np.float32)
    assert _refusal(lambda: interpreted[(1,)](x, value)) == _refusal(lambda: stored[(1,)](x, value))


@pytest.mark.parametrize("what", GRIDS)
def test_a_grid_is_refused_as_by_a_launch(what: str) -> None:
    interpreted, grid, x = InterpretedFunction(stored.fn), GRIDS[what], np.zeros(4, np.float32)
    assert _refusal(lambda: interpreted[grid](x, 1.0)) == _refusal(lambda: stored[grid](x, 1.0))


def test_an_array_of_bytes_is_memory() -> None:
    interpreted, compiled = bytearray(4), bytearray(4)
    InterpretedFunction(stored.fn)[(1,)](memoryview(interpreted), 7)
    stored[(1,)](memoryview(compiled), 7)
    assert interpreted == compiled == bytes([7, 0, 0, 0])


def test_integers_out_of_range() -> None:
    with pytest.raises(TypeMismatchError, match="'get_int_dtype' expects 1, 8, 16, 32 or 64 bits, got 24"):
        get_int_dtype(24, True)


def test_a_descriptor_of_other_dimensions_than_compiled() -> None:
    from blockdsl.errors import gpu_errors

    error = gpu_errors.failure("k", "tensor map", (0, "", "", 2, 3))
    assert error.message == (
        "kernel 'k' on device 'cuda:0' gets a tensor descriptor of 2 dimensions, and is compiled for one of 3"
    )

"""Tests of errors of grid functions, with whole messages. A location is ``here:column``."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from typing import Any

import pytest
import torch
from handwritten import make_add

from blockdsl import knobs
from blockdsl.errors import LaunchError

ADD = make_add()
SIZES = {"small": 1}


def x() -> torch.Tensor:
    return torch.ones(64)


def halves(meta: dict[str, Any]) -> tuple[int]:
    return (meta["n"] // meta["block"],)


def launched(call: Callable[[], object]) -> LaunchError:
    with pytest.raises(LaunchError) as caught:
        call()
    return caught.value


def shown(error: LaunchError) -> str:
    return re.sub(rf"{re.escape(__file__)}:\d+", "here", str(error))


def test_unknown_argument_name() -> None:
    error = launched(lambda: ADD[lambda meta: (meta["n"] // meta["BLOK"],)](x(), x(), x(), 64))
    assert shown(error) == textwrap.dedent("""\
        the function that gives the grid of kernel 'add' finds no 'BLOK'; the arguments it is called with are x, y, out, n, BLOCK
          here:61, in <lambda>  <- called from here:30
              error = launched(lambda: ADD[lambda meta: (meta["n"] // meta["BLOK"],)](x(), x(), x(), 64))
                                                                      ^^^^^^^^^^^^
          hint: did you mean 'BLOCK'?""")


def test_grid_function_of_another_file() -> None:
    error = launched(lambda: ADD[halves](x(), x(), x(), 64))
    assert shown(error) == textwrap.dedent("""\
        the function that gives the grid of kernel 'add' finds no 'block'; the arguments it is called with are x, y, out, n, BLOCK
          here:26, in halves  <- called from here:30
              return (meta["n"] // meta["block"],)
                                   ^^^^^^^^^^^^^
          hint: did you mean 'BLOCK'?""")


def test_an_option_is_no_argument() -> None:
    error = launched(lambda: ADD[lambda meta: (meta["num_warps"],)](x(), x(), x(), 64, num_warps=4))
    assert error.hint == "options of a launch are not among them: what depends on one takes it from where it is set"


def test_name_without_suggestion() -> None:
    assert launched(lambda: ADD[lambda meta: (meta["qqq"],)](x(), x(), x(), 64)).hint is None


@pytest.mark.parametrize("grid", [lambda: (1,), lambda x, y: (1,)])
def test_a_function_that_takes_no_dict(grid: Callable[..., object]) -> None:
    error = launched(lambda: ADD[grid](x(), x(), x(), 64))
    words = "the function that gives the grid of kernel 'ADD' is called with one dict, of the arguments: "
    assert error.message.startswith(words.replace("ADD", ADD.__name__))
    assert error.hint == "write lambda meta: ..., also where the grid does not depend on the arguments"
    assert error.location is not None
    assert error.location.file == __file__


class OwnError(KeyError):
    """An error class of the program's."""


def fails(error: BaseException) -> Callable[[dict[str, Any]], object]:
    def grid(meta: dict[str, Any]) -> object:
        raise error

    return grid


@pytest.mark.parametrize("error", [
    ValueError("no"), ZeroDivisionError(), TypeError("in the function"), KeyError(3), KeyError("n"), KeyError(),
    LaunchError("ours"), KeyboardInterrupt(), OwnError(7),
], ids=repr)  # fmt: skip
def test_other_errors_are_unchanged(error: BaseException) -> None:
    with pytest.raises(type(error)) as caught:
        ADD[fails(error)](x(), x(), x(), 64)
    assert caught.value is error
    assert caught.traceback[-1].name == "grid"
    assert "explain" not in {entry.name for entry in caught.traceback}


def test_compiled_kernel_explains_grid_errors() -> None:
    kernel = ADD[(1,)](x(), x(), x(), 64)
    error = launched(lambda: kernel[lambda meta: (meta["M"],)](x(), x(), x(), 64))
    assert "kernel 'add' finds no 'M'; the arguments it is called with are x, y, out, n, BLOCK" in error.message


def test_the_next_launch_works() -> None:
    out = torch.zeros(64)
    launched(lambda: ADD[lambda meta: (meta["N"],)](x(), x(), out, 64))
    assert not out.any()
    ADD[lambda meta: (meta["n"] // meta["BLOCK"],)](x(), x(), out, 64)
    assert bool((out == 2).all())


def test_grid_function_is_called_once_per_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, calls = make_add(), []

    def grid(meta: dict[str, Any]) -> tuple[int]:
        calls.append(meta["n"])
        return (1,)

    for count in (1, 2):
        kernel[grid](x(), x(), x(), 64)
        assert len(calls) == count
    monkeypatch.setattr(knobs.runtime, "jit_cache_hook", lambda **info: True)
    assert kernel[grid](x(), x(), x(), 1) is None
    assert len(calls) == 2

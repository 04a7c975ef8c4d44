"""Tests of tuples as arguments of a launch: flattened, specialized element by element, refused if invalid."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.errors import LaunchError
from blockdsl.tools.tensor_descriptor import TensorDescriptor

N = 100
GRID = (blockdsl.cdiv(N, 32),)


class Matrix(NamedTuple):
    data: Any
    strides: Any
    scale: Any = None


@blockdsl.jit
def double(x):
    return 2 * x


@blockdsl.jit
def add(pointers, n, BLOCK: tl.constexpr = 32):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.load(pointers[0] + at, mask=at < n)
    for i in tl.static_range(1, len(pointers) - 1):
        total += tl.load(pointers[i] + at, mask=at < n)
    tl.store(pointers[len(pointers) - 1] + at, total, mask=at < n)


@blockdsl.jit
def transpose(source, target, n):
    at = tl.arange(0, 32)
    inside = (at[:, None] < n) & (at[None, :] < n)
    block = tl.load(source.data + at[:, None] * source.strides[0] + at[None, :] * source.strides[1], mask=inside)
    if source.scale is not None:
        block *= source.scale
    tl.store(target.data + at[None, :] * target.strides[0] + at[:, None] * target.strides[1], block, mask=inside)


@blockdsl.jit
def apply(out, functions_and_size):
    at = tl.arange(0, functions_and_size[1])
    for i in tl.static_range(len(functions_and_size[0])):
        tl.store(out + at, functions_and_size[0][i](tl.load(out + at)))


@blockdsl.jit
def scaled(out, numbers):
    tl.store(out, numbers[0] * 1.0 + numbers[1] + numbers[2])


def operands() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.rand(N), torch.rand(N), torch.zeros(N)


def launch(kernel: Any, grid: Any, interpreted: bool, *args: Any) -> None:
    if not interpreted:
        kernel[grid](*args)
        return
    bound = dict(zip(kernel.arg_names, args, strict=False))
    interpreter.run(kernel.source, {"BLOCK": 32, **bound} if kernel is add else bound, grid)


both_ways = pytest.mark.parametrize("interpreted", [False, True], ids=["compiled", "interpreted"])


@both_ways
def test_tensors_in_a_tuple(interpreted: bool) -> None:
    x, y, out = operands()
    launch(add, GRID, interpreted, (x, y, out), N)
    assert torch.equal(out, x + y)
    launch(add, GRID, interpreted, (x, y, x, out), N)
    torch.testing.assert_close(out, 2 * x + y)
    array = np.zeros(N, np.float32)
    launch(add, GRID, interpreted, (x, y.numpy(), array), N)
    np.testing.assert_array_equal(array, (x + y).numpy())


@both_ways
def test_named_tuples_with_tuples_in_them(interpreted: bool) -> None:
    a, out = torch.rand(20, 24), torch.zeros(24, 20)
    # The strides are a plain tuple with a 1, a torch.Size, and a tuple of equal numbers.
    launch(transpose, (1,), interpreted, Matrix(a, a.stride()), Matrix(out, torch.Size(out.stride())), 20)
    assert torch.equal(out[:20], a[:, :20].T)
    launch(transpose, (1,), interpreted, Matrix(a, (24, 1), 3.0), Matrix(out, (20, 1)), 20)
    torch.testing.assert_close(out[:20], 3 * a[:, :20].T)


@both_ways
def test_functions_and_constants_in_tuples(interpreted: bool) -> None:
    x = torch.arange(16.0)
    launch(apply, (1,), interpreted, x, ((double, tl.sqrt), tl.constexpr(16)))
    torch.testing.assert_close(x, (2 * torch.arange(16.0)).sqrt())
    launch(apply, (1,), interpreted, x, ((), tl.constexpr(16)))
    torch.testing.assert_close(x, (2 * torch.arange(16.0)).sqrt())


@both_ways
def test_a_descriptor_in_a_tuple(interpreted: bool) -> None:
    def body(pair, rows):
        block = pair[0].load([0, 0])
        tl.store(pair[1] + tl.arange(0, 8)[:, None] * 16 + tl.arange(0, 16)[None, :], block * rows)

    x, out = torch.rand(5, 12), torch.ones(8, 16)
    launch(blockdsl.jit(body), (1,), interpreted, (TensorDescriptor.from_tensor(x, [8, 16]), out), 2.0)
    expected = torch.zeros(8, 16)
    expected[:5, :12] = 2 * x
    assert torch.equal(out, expected)


def ttir(kernel: blockdsl.CompiledKernel) -> str:
    text: str = kernel.asm["ttir"]
    return next(line for line in text.splitlines() if "tt.func public" in line).replace(", tt.divisibility", "")


def test_each_element_is_specialized_on_its_own() -> None:
    out = torch.zeros(1)
    aligned = scaled[(1,)](out, (16, 3, 2**40))
    head = ttir(aligned)
    assert head.count("i32") - head.count(" : i32}") == 2
    assert "i64" in head
    assert out.item() == pytest.approx(16 + 3 + 2**40)
    one = scaled[(1,)](out, (16, 1, 2.5))
    assert out.item() == 19.5
    assert one is not aligned
    assert dict(one.signature.constants) == {"numbers[1]": 1}
    assert dict(one.signature.types) == {"out": "*fp32", "numbers[0]": "i32", "numbers[2]": "fp32"}
    assert one.signature.divisibility["numbers[0]"] == 16
    scaled[(1,)](out, (48, 1, 0.5))
    assert out.item() == 49.5
    assert scaled[(1,)](out, (48, 1, 0.5)) is one
    unspecialized = blockdsl.jit(scaled.fn, do_not_specialize=["numbers"])[(1,)](out, (16, 1, 2.5))
    assert list(unspecialized.signature.types) == ["out", "numbers[0]", "numbers[1]", "numbers[2]"]
    assert "numbers[0]" not in unspecialized.signature.divisibility


def test_structures_have_distinct_kernels() -> None:
    kernels, out = [], torch.zeros(1)

    @blockdsl.jit
    def last(out, values):
        while_known = values
        if len(while_known) == 2:
            tl.store(out, while_known[1][0] * 1.0)
        else:
            tl.store(out, while_known[1] * 10.0)

    for values, expected in (((2, (3,)), 3), ((2, 3, ()), 30), ((2, 3, ((),)), 30), ((2, (4,)), 4), ((2, (5, 6)), 5)):
        kernels.append(last[(1,)](out, values))
        assert out.item() == expected
    assert len({id(kernel) for kernel in kernels}) == 4


def test_constants_count_by_value() -> None:
    x = torch.ones(64)
    first = apply[(1,)](x, ((), tl.constexpr(16)))
    assert apply[(1,)](x, ((), tl.constexpr(16))) is first
    assert apply[(1,)](x, ((double,), tl.constexpr(16))) is not first
    apply[(1,)](x, ((double,), tl.constexpr(64)))
    assert x.tolist() == [4.0] * 16 + [2.0] * 48


def test_constant_for_unknown_parameter() -> None:
    out = torch.zeros(1)

    @blockdsl.jit
    def total(out, a, function):
        tl.store(out, function(tl.sum(tl.arange(0, a)) * 1.0))

    total[(1,)](out, tl.constexpr(8), double)
    assert out.item() == 56


def test_aliases_in_tuples() -> None:
    x, y, _ = operands()
    expected = x + y
    add[GRID]((x, y, x), N)
    assert torch.equal(x, expected)
    memory = torch.arange(200.0)
    add[(1,)]((memory[:32], memory[32:64], memory[16:48]), 32)
    assert memory[16:48].tolist() == [2 * i + 32.0 for i in range(32)]


def test_callable_grid_gets_the_tuple() -> None:
    x, y, out = operands()
    add[lambda given: (blockdsl.cdiv(given["pointers"][0].numel(), given["BLOCK"]),)]((x, y, out), N)
    assert torch.equal(out, x + y)


def test_disk_cache_key_has_field_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path))
    program = Path(__file__).parent / "fields_program.py"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for order, expected in (("left right", "1.0"), ("right left", "2.0"), ("left right", "1.0")):
        command = [sys.executable, str(program), *order.split()]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        assert done.stdout.strip() == expected


SIGNATURE = {"source": Matrix("*fp32:16", ("i32", 1)), "target": Matrix("*fp32", ("i32", "i32"), None), "n": "i32"}


def test_ahead_of_time() -> None:
    compiled = blockdsl.compile(transpose, SIGNATURE)
    a, out = torch.rand(20, 24), torch.zeros(24, 20)
    compiled[(1,)](Matrix(a, (24, 1)), Matrix(out, (20, 1)), 20)
    assert torch.equal(out[:20], a[:, :20].T)
    with pytest.raises(LaunchError) as caught:
        compiled[(1,)](Matrix(a, (24, 2)), Matrix(out, (20, 1)), 20)
    assert caught.value.message == (
        "argument 'source[1][1]' of kernel 'transpose' is 2, but the kernel is compiled for 1"
    )
    with pytest.raises(LaunchError, match="'source' of kernel 'transpose' is .*, but the kernel is compiled for a "
                                          r"tuple \(data, strides, scale\)"):  # fmt: skip
        compiled[(1,)]((a, (24, 1), None), Matrix(out, (20, 1)), 20)
    with pytest.raises(LaunchError, match=r"'target\[1\]' of kernel .* compiled for a tuple of 2 elements"):
        compiled[(1,)](Matrix(a, (24, 1)), Matrix(out, (20, 1, 1)), 20)
    with pytest.raises(LaunchError, match=r"'target\[0\]' of kernel .* has dtype torch.float64, but .* '\*fp32'"):
        compiled[(1,)](Matrix(a, (24, 1)), Matrix(out.double(), (20, 1)), 20)
    with pytest.raises(LaunchError, match=r"'target\[2\]' of kernel 'transpose' is 1.0, but .* compiled for None"):
        compiled[(1,)](Matrix(a, (24, 1)), Matrix(out, (20, 1), 1.0), 20)


def test_constants_ahead_of_time() -> None:
    compiled = blockdsl.compile(apply, {"out": "*fp32", "functions_and_size": ((double,), tl.constexpr(16))})
    x = torch.ones(16)
    compiled[(1,)](x, ((double,), tl.constexpr(16)))
    assert x.tolist() == [2.0] * 16
    for size in (16, tl.constexpr(8)):
        with pytest.raises(LaunchError, match=r"'functions_and_size\[1\]' .* compiled for constexpr\[16\]"):
            compiled[(1,)](x, ((double,), size))


def test_for_gpus_the_elements_are_parameters() -> None:
    kernel = blockdsl.compile(transpose, SIGNATURE, target="cuda:90")
    # The numbers of elements follow those of parameters.
    assert kernel.metadata["slots"] == [[1024, "n"], [1025, "n"], [1028, "n"], [1029, "n"], [1030, "n"], [2, "n"]]
    head = kernel.asm["ttir"]
    assert "tt.func public @transpose" in head
    assert kernel.asm["ptx"].count(".param .u64 .ptr") >= 2


CASES: list[tuple[Any, str, str | None]] = [
    (lambda x: add[(1,)]([x, x], N),
     "argument 'pointers' of kernel 'add' is list [", "pass tuple(pointers)"),
    (lambda x: add[(1,)]((x, "y", x), N),
     "argument 'pointers[1]' of kernel 'add' is str 'y', expected a tensor, an array, a number, None, or a tuple of "
     "these", "tl.constexpr(...)"),
    (lambda x: add[(1,)]((x, x, (x, [1])), N), "argument 'pointers[2][1]' of kernel 'add' is list [1]", "pass tuple("),
    (lambda x: add[(1,)]((x, torch.ones(4, device="meta")), N),
     "argument 'pointers[1]' of kernel 'add' is on device 'meta'", "no memory"),
    (lambda x: add[(1,)]((x, 2**70), N), "argument 'pointers[1]' of kernel 'add' is 1180591620717411303424", None),
    (lambda x: add[(1,)]((x, x, np.frombuffer(bytes(400), np.float32)), N),
     "argument 'pointers[2]' of kernel 'add' is read-only", "pointers[2].copy()"),
    (lambda x: add[(1,)](((x,) * 1025), N),
     "the tuples passed to kernel 'add' have more than 1024 elements in all, or are themselves more than 1024",
     "tensor"),
    (lambda x: add[(1,)]((x, x), (N,), 32, 4), "got more arguments than it has parameters", None),
    (lambda x: declared[(1,)]((x,)),
     "argument 'x' of kernel 'declared' is declared '*fp32' and expects a tensor, got tuple (Tensor(100, "
     "torch.float32),)", None),
]  # fmt: skip


@blockdsl.jit
def declared(x: "*fp32"):  # noqa: F722
    tl.store(x, 1.0)


@pytest.mark.parametrize(("call", "message", "hint"), CASES, ids=[str(index) for index in range(len(CASES))])
def test_refused(call: Any, message: str, hint: str | None) -> None:
    with pytest.raises(LaunchError) as caught:
        call(torch.ones(N))
    assert message in caught.value.message
    assert hint is None or hint in str(caught.value.hint)
    assert caught.value.location is not None
    assert caught.value.location.file == __file__


def test_deep_tuples_are_refused_without_recursion() -> None:
    nested: Any = ()
    for _ in range(100_000):
        nested = (nested,)
    with pytest.raises(LaunchError, match="are themselves more than 1024"):
        add[(1,)](nested, N)

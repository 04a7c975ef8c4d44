"""Tests of launches with tensor descriptors: specialization and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.errors import LaunchError
from blockdsl.tools.tensor_descriptor import TensorDescriptor


@blockdsl.jit
def halved(x, out, n):
    for at in range(0, n, 16):
        out.store([at], x.load([at]) / 2)


def described(x: Any, size: int = 16, **given: Any) -> TensorDescriptor:
    return TensorDescriptor.from_tensor(x, [size], **given)


def test_one_kernel_for_each_block_dtype_and_padding() -> None:
    x, wide = torch.ones(64), torch.ones(64, dtype=torch.float64)
    first = halved[(1,)](described(x), described(x.clone()), 64)
    assert halved[(1,)](described(x[16:]), described(x.clone()), 48) is first
    kernels = {first}
    for other in (described(x, 32), described(wide), described(x, padding="nan")):
        kernels.add(halved[(1,)](other, described(x.clone(), len(kernels) * 0 + other.block_shape[0]), 64))
    assert len(kernels) == 4
    assert first.signature.types["x"] == "tensordesc<fp32[16]>"


def test_stores_write_to_the_described_array() -> None:
    """The base is one element; aliases depend on the descriptor's extents."""
    memory = torch.arange(64, dtype=torch.float32)
    x, out = TensorDescriptor(memory[:1], [48], [1], [16]), TensorDescriptor(memory[16:17], [48], [1], [16])
    halved[(1,)](x, out, 48)
    expected = torch.arange(64, dtype=torch.float32)
    for at in range(0, 48, 16):
        expected[16 + at : 32 + at] = expected[at : at + 16] / 2
    assert torch.equal(memory, expected)


def test_one_array_described_twice() -> None:
    memory = torch.arange(64, dtype=torch.float32)
    expected = memory / 2
    first = halved[(1,)](described(memory), described(memory), 64)
    assert torch.equal(memory, expected)
    halved[(1,)](described(memory), described(memory.clone()), 64)
    assert halved[(1,)](described(memory), described(memory), 64) is first


@blockdsl.jit
def summed(x, out, n):
    for at in range(0, n, 16):
        out.store([at + 16], tl.zeros(out.block_shape, tl.float32) + tl.sum(x.load([at])))


@pytest.mark.parametrize("size", [16, 32])
def test_one_array_read_and_written_alternately(size: int) -> None:
    memory = torch.ones(96)
    expected = memory.clone()
    for at in range(0, 64, 16):
        expected[at + 16 : at + 16 + size] = expected[at : at + 16].sum()
    summed[(1,)](described(memory, 16), described(memory, size), 64)
    assert torch.equal(memory, expected)


def test_compiled_kernel_requires_matching_descriptor() -> None:
    x, out = torch.ones(32), torch.zeros(32)
    compiled = blockdsl.compile(halved, {"x": "tensordesc<fp32[16]>", "out": "tensordesc<fp32[16]>", "n": "i32"})
    compiled[(1,)](described(x), described(out), 32)
    assert out.sum() == 16
    for wrong in (x, described(x, 8), described(x.half()), described(x, padding="nan"), 3):
        words = r"argument 'x' of kernel 'halved' is .*, but the kernel is compiled for 'tensordesc<fp32\[16\]>'"
        with pytest.raises(LaunchError, match=words):
            compiled[(1,)](wrong, described(out), 32)


TEXT = """
tt.func public @kernel(%d: !tt.tensordesc<DESC>, %n: i32, %s: i64, %out: !tt.ptr<f32>) {
  %c8 = arith.constant 8 : i32
  %x = tt.descriptor_load %d[%c8] : !tt.tensordesc<DESC> -> tensor<16xf32>
  %r = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %q = tt.addptr %p, %r : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %q, %x : tensor<16x!tt.ptr<f32>>
  tt.return
}
"""


@pytest.mark.parametrize("spelling", ["16xf32", "tensor<16xf32>"])
def test_text_that_triton_printed(tmp_path: Path, spelling: str) -> None:
    """A parameter with its shape and strides is one argument."""
    path = tmp_path / "kernel.ttir"
    path.write_text(TEXT.replace("DESC", spelling))
    kernel = blockdsl.compile(path)
    assert dict(kernel.signature.types) == {"arg0": "tensordesc<fp32[16]>", "arg3": "*fp32"}
    x, out = torch.arange(20, dtype=torch.float32), torch.full((16,), -1.0)
    kernel[(1,)](described(x), out)
    assert out.tolist() == [*range(8, 20), 0, 0, 0, 0]


@blockdsl.jit
def doubled(x, out, row, column):
    out.store([row, column], x.load([row, column]) * 2)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "float16", "float64"])
def test_numpy_arrays(dtype: str) -> None:
    x = np.arange(12 * 32).reshape(12, 32).astype(dtype)
    out = np.zeros_like(x)
    arguments = (TensorDescriptor.from_tensor(x, [8, 16]), TensorDescriptor.from_tensor(out, [8, 16]), 4, 16)
    expected = np.zeros_like(x)
    expected[4:, 16:] = x[4:, 16:] * 2
    interpreter.run(doubled.source, dict(zip(doubled.arg_names, arguments, strict=True)), (1,))
    np.testing.assert_array_equal(out, expected)
    out[:] = 0
    doubled[(1,)](*arguments)
    np.testing.assert_array_equal(out, expected)


def test_read_only_memory_is_refused_where_the_kernel_stores() -> None:
    x, out = np.ones(32, np.float32), np.zeros(32, np.float32)
    x.flags.writeable = False
    halved[(1,)](described(x), described(out), 32)
    assert out.sum() == 16
    with pytest.raises(LaunchError, match="argument 'out' of kernel 'halved' is read-only"):
        halved[(1,)](described(out), described(x), 32)


def set_blocks(arguments: dict[str, Any]) -> None:
    for name in ("x", "out"):
        arguments[name].block_shape = [arguments["SIZE"]]


@blockdsl.autotune([blockdsl.Config({"SIZE": size}, pre_hook=set_blocks) for size in (16, 32)], key=["n"])
@blockdsl.jit
def tuned(x, out, n, SIZE: tl.constexpr):
    at = tl.program_id(0) * SIZE
    out.store([at], x.load([at]) + 1)


def test_tuning_sets_blocks() -> None:
    x, out = torch.arange(100, dtype=torch.float32), torch.zeros(100)
    blockdsl.set_allocator(lambda size, alignment, stream: None)
    for _ in range(2):
        out.zero_()
        tuned[lambda meta: (blockdsl.cdiv(meta["n"], meta["SIZE"]),)](described(x), described(out), 100)
        assert torch.equal(out, x + 1)


class Odd:
    def __init__(self, base: Any, shape: Any, strides: Any, block_shape: Any, padding: Any = "zero") -> None:
        self.base, self.shape, self.strides, self.block_shape = base, shape, strides, block_shape
        self.padding = padding


@pytest.mark.parametrize(
    ("odd", "message"),
    [
        (
            Odd(torch.ones(32), [32], [1, 1], [16]),
            "argument 'x' of kernel 'halved' describes no array that can be read: shape, strides and block_shape have",
        ),
        (Odd(torch.ones(32), [], [], []), "shape has 0 entries, and a tensor descriptor 1 to 5"),
        (Odd(torch.ones(32), [1] * 6, [1] * 6, [1] * 6), "shape has 6 entries"),
        (Odd(torch.ones(32), [32], [2], [16]), "the last stride is 2, and has to be 1"),
        (Odd(torch.ones(32), [2**31], [1], [16]), "shape has an entry of 2147483648"),
        (Odd(torch.ones(32), [-1], [1], [16]), "shape has an entry of -1"),
        (Odd(torch.ones(32), 32, [1], [16]), "sequences of sizes"),
        (Odd(torch.ones(32), ["32"], [1], [16]), "interpreted as an integer"),
        (Odd(3, [32], [1], [16]), "expected a tensor"),
        (Odd("text", [32], [1], [16]), "expected a tensor"),
        (Odd(torch.ones(32, dtype=torch.complex64), [32], [1], [16]), "has dtype"),
    ],
)
def test_invalid_descriptor_objects(odd: Odd, message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        halved[(1,)](odd, described(torch.zeros(32)), 32)


def test_a_pointer_parameter_takes_no_descriptor() -> None:
    @blockdsl.jit
    def declared(x: tl.const):
        tl.static_assert(x.dtype.element_ty == tl.float32)

    with pytest.raises(LaunchError, match="declared 'const' and expects a tensor"):
        declared[(1,)](described(torch.ones(16)))


BASE = torch.zeros(64, 64)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((BASE, [64, 64], [64], [8, 8]), "a tensor descriptor expects strides to have 2 entries like shape, got 1"),
        ((BASE, [64, 64], [64, 1], [8]), "expects block_shape to have 2 entries like shape, got 1"),
        ((BASE, [1] * 6, [1] * 6, [1] * 6), "a tensor descriptor has 1 to 5 dimensions, got 6"),
        ((BASE, [64, 0], [64, 1], [8, 8]), "a tensor descriptor's extents are positive and fit 32 bits, got 0"),
        ((BASE, [64, 64], [64, 1], [8, 12]), "powers of two, got 12"),
        ((BASE, [64, 32], [64, 2], [8, 8]), "a tensor descriptor's last stride is 1, got 2"),
        ((BASE[:, 1:], [64, 63], [64, 1], [8, 8]), "a tensor descriptor's base is divisible by 16, got address "),
        (
            (BASE, [64, 63], [63, 1], [8, 8]),
            "a tensor descriptor's strides are multiples of 16 bytes, got 63 elements of 4 bytes",
        ),
        ((BASE, [64, 64], [64, 1], [8, 8], "one"), "a tensor descriptor's padding is 'zero' or 'nan', got 'one'"),
        (
            (BASE.int(), [64, 64], [64, 1], [8, 8], "nan"),
            "a tensor descriptor is padded with NaN where elements are floats, got torch.int32",
        ),
        (
            (BASE.int(), [64, 64], [64, 1], [8, 8], "zero", True),
            "a tensor descriptor rounds float32 to TF32, got torch.int32",
        ),
    ],
)
def test_refused_descriptors(arguments: Any, message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        TensorDescriptor(*arguments)

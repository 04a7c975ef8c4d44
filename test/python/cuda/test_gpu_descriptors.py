"""Tests of tensor descriptors in kernels for GPUs: a launch passes the parameters that Triton compiled them to."""

from __future__ import annotations

import re
from typing import Any

import pytest
from gpu_kernels import compiled

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def doubled(x, scale, out):
    at = [tl.program_id(0) * x.block_shape[0], 0]
    out.store(at, x.load(at) * scale)


@blockdsl.jit
def shifted_rows(x, rows_ptr, n):
    rows = tl.load(rows_ptr + tl.arange(0, 8))
    x.scatter(x.gather(rows, n) + 1, rows, n)


@blockdsl.jit
def made_inside(x_ptr, n):
    x = tl.make_tensor_descriptor(x_ptr, [n, n], [n, 1], [32, 32])
    x.store([0, 0], x.load([n, 0]))


TYPES = {"x": "tensordesc<fp16[32,64]>", "scale": "fp32", "out": "tensordesc<fp16[32,64],nan>"}
ROWS = {"x": "tensordesc<fp32[1,64]>", "rows_ptr": "*i32", "n": "i32"}
SIZES = [4, 4, 8, 8]


def encodings(kernel: Any) -> str:
    return " ".join(encoding for _, encoding in kernel.metadata["slots"])


def parameters(kernel: Any) -> list[int]:
    """Returns the size of each parameter in the assembly, without the two that every kernel has."""
    found = re.findall(rf"\.param (?:\.align \d+ )?\.[busf](\d+)[^,\n]* {kernel.name}_param_\d+(?:\[(\d+)\])?[,\n]",
                       kernel.asm["ptx"])  # fmt: skip
    return [int(count or bits) // (1 if count else 8) for bits, count in found][:-2]


@pytest.mark.parametrize("capability", [90, 100, 120])
def test_a_parameter_is_a_tensor_map(triton_version: str, capability: int) -> None:
    kernel = compiled(doubled, TYPES, target=f"cuda:{capability}")
    assert encodings(kernel) == "m e0 e1 s0 s1 f m e0 e1 s0 s1"
    assert parameters(kernel) == [128, *SIZES, 4, 128, *SIZES]
    assert "cp.async.bulk.tensor.2d" in kernel.asm["ptx"]
    first, second = kernel.metadata["tensordesc_meta"]
    assert first == second
    # Half floats, in rows of 128 bytes.
    assert (first["elem_size"], first["elem_type"], first["block_size"], first["swizzle"]) == (2, 6, [32, 64], 3)


def test_descriptor_is_decomposed_before_hopper(triton_version: str) -> None:
    kernel = compiled(doubled, TYPES, target="cuda:80")
    flags = "p t" if triton_version == "3.9" else "p"
    parts = f"n e0 e1 s0 s1 {flags} e0 e1 s0 s1"
    assert encodings(kernel) == f"{parts} f {parts}"
    wide = [8, 8, 8, 8, 8, *([1] * len(flags.split()))]
    assert parameters(kernel) == [*wide, *SIZES, 4, *wide, *SIZES]


@pytest.mark.parametrize(("capability", "expected"), [(100, "m"), (90, "n"), (120, "n")])
def test_rows_are_gathered_in_hardware_if_supported(triton_version: str, capability: int, expected: str) -> None:
    kernel = compiled(shifted_rows, ROWS, target=f"cuda:{capability}")
    assert encodings(kernel) == f"{expected} e0 e1 s0 s1 n n"
    assert parameters(kernel) == [128 if expected == "m" else 8, *SIZES, 8, 4]
    assert ("gather4" in kernel.asm["ptx"]) == (expected == "m")


def test_descriptors_made_by_kernels_need_memory(triton_version: str) -> None:
    assert compiled(made_inside, {"x_ptr": "*fp32", "n": "i32"}).metadata["global_scratch_size"] >= 128
    assert compiled(made_inside, {"x_ptr": "*fp32", "n": "i32"}, target="cuda:80").metadata["global_scratch_size"] == 0

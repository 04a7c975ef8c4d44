"""Tests of inline assembly that a CPU does not support: it is refused by name, at its line."""

from __future__ import annotations

import pytest
import torch
import triton
import triton.language as tl


@triton.jit
def of_a_number(x, out, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr):
    value = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x)], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(out, value)


@triton.jit
def of_an_address(x, out, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr):
    value = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [x], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(out, value)


def refusal(kernel: triton.JITFunction, asm: str, constraints: str) -> str:
    numbers = torch.zeros(1, dtype=torch.int32)
    with pytest.raises(triton.CompilationError) as error:
        kernel[(1,)](numbers, numbers, asm, constraints)
    return str(error.value)


def check(message: str, name: str, replacement: str) -> None:
    assert "has no form on the CPU" in message
    assert f"'{name}" in message
    assert "value = tl.inline_asm_elementwise(" in message
    assert f"the functions of the language run everywhere: {replacement}" in message


@pytest.mark.parametrize("register", ["%laneid", "%warpid", "%tid.x", "%ntid.y", "%lanemask_lt"])
def test_registers_of_a_thread(register: str) -> None:
    check(refusal(of_a_number, f"mov.u32 $0, {register};", "=r,r"), register, "tl.arange")


@pytest.mark.parametrize(
    "instruction",
    [
        "shfl.sync.bfly.b32 $0, $1, 1, 31, -1",
        "vote.sync.ballot.b32 $0, 1, -1",
        "redux.sync.add.s32 $0, $1, -1",
        "match.any.sync.b32 $0, $1, -1",
        "bar.red.popc.u32 $0, 0, 1",
    ],
)
def test_instructions_of_a_warp(instruction: str) -> None:
    check(refusal(of_a_number, f"{instruction};", "=r,r"), instruction, "tl.reduce")


@pytest.mark.parametrize(
    ("instruction", "replacement"),
    [
        ("ld.global.acquire.gpu.b32 $0, [$1]", "tl.atomic_load"),
        ("ld.volatile.global.b32 $0, [$1]", "tl.load"),
        ("atom.global.acq_rel.gpu.add.u32 $0, [$1], 1", "tl.atomic_add"),
        ("atom.global.cas.b32 $0, [$1], 0, 1", "tl.atomic_cas"),
        ("atom.exch.b32 $0, [$1], 0", "tl.atomic_xchg"),
        ("st.global.release.gpu.b32 [$1], 1", "tl.atomic_store"),
        ("st.global.b32 [$1], 1", "tl.store"),
        ("red.global.release.gpu.max.u32 [$1], 1", "tl.atomic_max"),
    ],
)
def test_accesses_to_memory(instruction: str, replacement: str) -> None:
    check(refusal(of_an_address, f"{instruction};", "=r,l"), instruction, replacement)


def test_a_register_of_128_bits() -> None:
    message = refusal(of_a_number, "mov.b32 $0, $1;", "=r,q")
    assert "has no form on the CPU: 'q'" in message

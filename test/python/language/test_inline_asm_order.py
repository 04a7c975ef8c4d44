"""Tests of barriers, fences and hints in assembly, which only order memory, and of immediates."""

from __future__ import annotations

import re

import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.errors import BlockdslError, TypeMismatchError


@blockdsl.jit
def reversed_in_memory(x, out, ASM: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.load(x + at) * 2)
    tl.inline_asm_elementwise(ASM, "=r", [], dtype=tl.int32, is_pure=False, pack=1)
    mirrored = tl.load(out + (N - 1 - at))
    tl.inline_asm_elementwise(ASM, "=r", [], dtype=tl.int32, is_pure=False, pack=1)
    tl.store(out + at, mirrored)


ORDERS = [
    "bar.sync 0;", "bar.sync 1, 64;", "barrier.sync 0;", "barrier.cta.sync.aligned 0;", "bar.warp.sync 0xffffffff;",
    "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;", "bar.arrive 1, 32;",
    "membar.cta;", "membar.gl;", "membar.sys;", "fence.acq_rel.gpu;", "fence.sc.sys;", "fence.sc.cta;",
    "fence.acquire.cluster;", "fence.release.gpu;", "fence.proxy.async;", "fence.proxy.async.shared::cta;",
    "fence.proxy.tensormap::generic.release.gpu;", "fence.mbarrier_init.release.cluster;", "griddepcontrol.wait;",
    "griddepcontrol.launch_dependents;", "nanosleep.u32 20;", "cp.async.commit_group; cp.async.wait_group 0;",
    "cp.async.wait_all;", "setmaxnreg.dec.sync.aligned.u32 40;", "{ bar.sync 0; mov.u32 $0, 0; }",
    "{ .reg .pred p; setp.eq.u32 p, 1, 1; @p bar.sync 0; }", "// nothing\n membar.gl ;",
]  # fmt: skip


@pytest.mark.cpu_only  # Half of them would hang, or are for clusters and newer GPUs.
@pytest.mark.parametrize("asm", ORDERS)
def test_accesses_are_not_moved_across_a_barrier(run: Run, asm: str) -> None:
    x, out = torch.randn(64), torch.zeros(64)
    run(reversed_in_memory, (1,), x, out, asm, 64)
    assert torch.equal(out, (x * 2).flip(0))


@blockdsl.jit
def prefetched(x, out, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.inline_asm_elementwise(ASM, CONSTRAINTS, [x + at], dtype=tl.int32, is_pure=False, pack=PACK)
    tl.store(out + at, tl.load(x + at))


@pytest.mark.cpu_only
@pytest.mark.parametrize("pack", [1, 2, 4])
@pytest.mark.parametrize("hint", ["prefetch.global.L2 [{}];", "prefetch.global.L1 [{}+64];", "prefetchu.L1 [{}];",
                                  "applypriority.global.L2::evict_normal [{}], 128;"])  # fmt: skip
def test_address_hints_are_ignored(run: Run, hint: str, pack: int) -> None:
    x, out = torch.randn(64), torch.zeros(64)
    outputs, inputs = ",".join(["=r"] * pack), ",".join(["l"] * pack)
    run(prefetched, (1,), x, out, hint.format(f"${pack}"), f"{outputs},{inputs}", pack, 64)
    assert torch.equal(out, x)


@blockdsl.jit
def published(data, flag, seen, N: tl.constexpr):
    at = tl.arange(0, N)
    if tl.program_id(0) == 0:
        tl.store(data + at, at + 1)
        tl.inline_asm_elementwise("fence.acq_rel.gpu;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
        tl.atomic_xchg(flag, 1, sem="relaxed")
    else:
        while tl.atomic_add(flag, 0, sem="relaxed") == 0:
            tl.inline_asm_elementwise("nanosleep.u32 100;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
        tl.inline_asm_elementwise("fence.acq_rel.gpu;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
        tl.store(seen + at, tl.load(data + at))


def test_fence_orders_accesses_of_other_programs(run: Run) -> None:
    data, seen, flag = (torch.zeros(count, dtype=torch.int32) for count in (64, 64, 1))
    run(published, (2,), data, flag, seen, 64)
    assert seen.tolist() == list(range(1, 65))


@blockdsl.jit
def nibbles(words, low, high, N: tl.constexpr):
    at = tl.arange(0, N)
    # 0x6400 is 1024 as a half, whose last four bits count in ones; the table of (a & b) | c is 0xea.
    first, second = tl.inline_asm_elementwise(
        "{ .reg .b32 both; lop3.b32 both, $2, $3, $4, $5; sub.f16x2 both, both, $6; mov.b32 {$0, $1}, both; }",
        "=h,=h,r,n,n,n,r",
        args=[tl.load(words + at), 0x000F000F, 0x64006400, 0xEA, 0x64006400],
        dtype=(tl.float16, tl.float16),
        is_pure=True,
        pack=1,
    )
    tl.store(low + at, first)
    tl.store(high + at, second)


def test_a_table_is_an_immediate(run: Run) -> None:
    generator = torch.Generator().manual_seed(5)
    words = torch.randint(-(2**31), 2**31, (32,), dtype=torch.int64, generator=generator).to(torch.int32)
    low, high = torch.zeros(32).half(), torch.zeros(32).half()
    run(nibbles, (1,), words, low, high, 32)
    assert torch.equal(low.long(), words.long() & 15)
    assert torch.equal(high.long(), (words.long() >> 16) & 15)


@blockdsl.jit
def with_immediate(
    x, out, VALUE: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, PACK: tl.constexpr, N: tl.constexpr
):
    at = tl.arange(0, N)
    y = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x + at), VALUE], tl.int32, True, PACK)
    tl.store(out + at, y)


IMMEDIATES = {
    ("add.s32 $0, $1, $2;", -7): lambda x: x - 7,
    ("bfe.u32 $0, $1, $2, 8;", 4): lambda x: (x >> 4) & 255,
    ("shl.b32 $0, $1, $2;", 3): lambda x: x << 3,
    ("prmt.b32 $0, $1, 0, $2;", 0x4440): lambda x: x & 255,
    ("{ .reg .b64 w; cvt.s64.s32 w, $1; add.s64 w, w, $2; cvt.u32.u64 $0, w; }", -1): lambda x: x - 1,
}  # fmt: skip


@pytest.mark.parametrize("constraint", ["n", "i", "rn"])
@pytest.mark.parametrize(("asm", "value"), IMMEDIATES)
def test_immediates_are_numbers_of_the_instructions_type(run: Run, asm: str, value: int, constraint: str) -> None:
    if constraint == "rn" and "s64" in asm:
        return  # A register of 32 bits has no sign to extend.
    x = torch.arange(0, 16, dtype=torch.int32) * 1000
    out = torch.zeros_like(x)
    run(with_immediate, (1,), x, out, value, asm, f"=r,r,{constraint}", 1, 16)
    assert out.tolist() == IMMEDIATES[asm, value](x).tolist()


def test_each_register_of_a_group_is_an_immediate(run: Run) -> None:
    x = torch.arange(0, 16, dtype=torch.int32)
    out = torch.zeros_like(x)
    run(with_immediate, (1,), x, out, 5, "add.s32 $0, $2, $4; add.s32 $1, $3, $5;", "=r,=r,r,r,n,n", 2, 16)
    assert out.tolist() == (x + 5).tolist()


@blockdsl.jit
def not_immediate(x, out, N: tl.constexpr):
    at = tl.arange(0, N)
    y = tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r,r,n", [tl.load(x + at), at], tl.int32, True, 1)
    tl.store(out + at, y)


@pytest.mark.cpu_only
def test_immediates_are_constants(run: Run) -> None:
    x = torch.zeros(16, dtype=torch.int32)
    with pytest.raises(BlockdslError) as got:
        run(not_immediate, (1,), x, x.clone(), 16)
    interpreted = "'inline_asm_elementwise' expects $2 to be an integer that is known when the kernel is compiled"
    assert got.value.message == interpreted or "expects an integer that is known" in got.value.message
    assert got.value.location is not None
    assert got.value.location.function == "not_immediate"


# The compiler's messages are in test/Dialect/TT/Transforms/read-assembly-invalid.mlir.
@pytest.mark.parametrize("asm", ["bar.sync;", "bar.sync q;", "bar.red.popc.u32 $0, 0, 1;", "membar;", "membar.all;",
                                 "fence.acq_rel;", "fence.strange.gpu;", "nanosleep.u32;", "griddepcontrol.go;",
                                 "prefetch.global.L2 [q];"])  # fmt: skip
def test_other_orders_are_refused(asm: str) -> None:
    x = torch.zeros(16, dtype=torch.int32)
    values = {"x": x, "out": x.clone(), "ASM": asm, "N": 16}
    with pytest.raises(TypeMismatchError, match=re.escape("'inline_asm_elementwise' does not read '")):
        interpreter.run(reversed_in_memory.source, values, (1,))

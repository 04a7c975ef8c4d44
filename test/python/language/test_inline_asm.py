"""Tests of assembly in kernels: moves, conversions and arithmetic, compiled for a CPU, interpreted, and on GPUs."""

from __future__ import annotations

import re
from typing import Any

import pytest
import torch
from reference_checks import Run

import blockdsl
import blockdsl.language as tl
from blockdsl import interpreter
from blockdsl.errors import BlockdslError, TypeMismatchError
from blockdsl.language.extra import cuda


@blockdsl.jit
def transformed(
    x, out, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, KIND: tl.constexpr, PACK: tl.constexpr
):
    at = tl.arange(0, N)
    y = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x + at)], dtype=KIND, is_pure=True, pack=PACK)
    tl.store(out + at, y)


@blockdsl.jit
def combined(x, y, out, N: tl.constexpr, ASM: tl.constexpr, CONSTRAINTS: tl.constexpr, KIND: tl.constexpr):
    at = tl.arange(0, N)
    z = tl.inline_asm_elementwise(ASM, CONSTRAINTS, [tl.load(x + at), tl.load(y + at)], KIND, True, 1)
    tl.store(out + at, z)


NUMBERS = torch.tensor([0, 1, -1, 7, -8, 2**31 - 1, -(2**31), 0x12345678, -0x12345678, 99, 0x7F80, 3, 5, 11, 255, 256],
                       dtype=torch.int32)  # fmt: skip
OTHERS = NUMBERS.roll(5)


def wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def logical_shift(value: int, amount: int) -> int:
    return wrapped((value % 2**32) >> amount) if amount < 32 else 0


def permuted(x: int, y: int, selector: int) -> int:
    both = (x % 2**32) | (y % 2**32) << 32
    total = 0
    for at in range(4):
        nibble = selector >> 4 * at & 15
        byte = both >> 8 * (nibble & 7) & 255
        total |= (255 if nibble & 8 and byte & 128 else 0 if nibble & 8 else byte) << 8 * at
    return wrapped(total)


def of_three(table: int, x: int, y: int, z: int) -> int:
    bits = ((x >> at & 1) << 2 | (y >> at & 1) << 1 | (z >> at & 1) for at in range(32))
    return wrapped(sum((table >> row & 1) << at for at, row in enumerate(bits)))


INTEGERS = {
    "add.s32 $0, $1, $2;": lambda x, y: wrapped(x + y),
    "sub.u32 $0, $1, $2;": lambda x, y: wrapped(x - y),
    "mul.lo.s32 $0, $1, $2;": lambda x, y: wrapped(x * y),
    "mad.lo.s32 $0, $1, $2, 7;": lambda x, y: wrapped(x * y + 7),
    "and.b32 $0, $1, $2;": lambda x, y: x & y,
    "or.b32 $0, $1, 0x0f0f0f0f;": lambda x, y: wrapped(x | 0x0F0F0F0F),
    "xor.b32 $0, $1, $2;": lambda x, y: x ^ y,
    "not.b32 $0, $2;": lambda x, y: ~y,
    "neg.s32 $0, $1;": lambda x, y: wrapped(-x),
    "abs.s32 $0, $1;": lambda x, y: wrapped(abs(x)),
    "min.s32 $0, $1, $2;": min,
    "max.s32 $0, $1, $2;": max,
    "min.u32 $0, $1, $2;": lambda x, y: min(x, y, key=lambda n: n % 2**32),
    "max.u32 $0, $1, $2;": lambda x, y: max(x, y, key=lambda n: n % 2**32),
    "shl.b32 $0, $1, 4;": lambda x, y: wrapped(x << 4),
    "shl.b32 $0, $1, 32;": lambda x, y: 0,
    "shr.u32 $0, $1, 3;": lambda x, y: logical_shift(x, 3),
    "shr.u32 $0, $1, $2;": lambda x, y: logical_shift(x, y % 2**32),
    "shr.s32 $0, $1, $2;": lambda x, y: x >> min(y % 2**32, 32),
    "prmt.b32 $0, $1, $2, 0x5410;": lambda x, y: permuted(x, y, 0x5410),
    "prmt.b32 $0, $1, $2, 0xf3c8;": lambda x, y: permuted(x, y, 0xF3C8),
    "prmt.b32 $0, $1, $1, $2;": lambda x, y: permuted(x, x, y % 2**32),
    "lop3.b32 $0, $1, $2, 0x00ff00ff, 0xea;": lambda x, y: of_three(0xEA, x, y, 0x00FF00FF),
    "lop3.b32 $0, $1, $2, $1, 0x3c;": lambda x, y: of_three(0x3C, x, y, x),
    "{ .reg .b16 h<2>; mov.b32 {h0, h1}, $1; mov.b32 $0, {h1, h0}; }": lambda x, y: permuted(x, x, 0x1032),
    "{ .reg .b8 b<4>; mov.b32 {b0, b1, b2, b3}, $2; cvt.s32.s8 $0, b1; }": lambda x, y: (y >> 8 & 255 ^ 128) - 128,
    "{ .reg .b8 b; cvt.u8.u32 b, $1; cvt.u32.u8 $0, b; }": lambda x, y: x & 255,
    "{ .reg .b64 d; mov.b64 d, {$1, $2}; shr.u64 d, d, 16; cvt.u32.u64 $0, d; }": lambda x, y: permuted(x, y, 0x5432),
    "{ // one\n .reg .b32 t; { mov.b32 t, $1; } /* two\n */ add.s32 $0, t, -1; }": lambda x, y: wrapped(x - 1),
}  # fmt: skip


@pytest.mark.parametrize("asm", INTEGERS)
def test_integers(run: Run, asm: str) -> None:
    out = torch.zeros_like(NUMBERS)
    run(combined, (1,), NUMBERS, OTHERS, out, len(NUMBERS), asm, "=r,r,r", tl.int32)
    assert out.tolist() == [INTEGERS[asm](x, y) for x, y in zip(NUMBERS.tolist(), OTHERS.tolist(), strict=True)]


FLOATS = torch.tensor([0.0, -0.0, 1.0, -1.5, 3.25, 1e-3, -7.125, 448.0, 1e30, -1e30, float("inf"), float("nan"),
                       0.1, 2.5, 3.5, -2.5])  # fmt: skip
ROUGH = {
    "ex2.approx.ftz.f32 $0, $1;": torch.exp2,
    "tanh.approx.f32 $0, $1;": torch.tanh,
    "lg2.approx.f32 $0, $1;": torch.log2,
    "rsqrt.approx.f32 $0, $1;": torch.rsqrt,
    "sqrt.approx.ftz.f32 $0, $1;": torch.sqrt,
    "rcp.approx.ftz.f32 $0, $1;": torch.reciprocal,
}
EXACT = {
    "add.rn.f32 $0, $1, 0f3F800000;": lambda x: x + 1,
    "mul.rn.ftz.f32 $0, $1, 2.5;": lambda x: x * 2.5,
    "sub.f32 $0, $1, $1;": lambda x: x - x,
    "fma.rn.f32 $0, $1, 2.0, 1.0;": lambda x: x * 2 + 1,
    "div.rn.f32 $0, $1, 0f40400000;": lambda x: x / 3,
    "sqrt.rn.f32 $0, $1;": torch.sqrt,
    "neg.f32 $0, $1;": torch.neg,
    "abs.f32 $0, $1;": torch.abs,
    "max.f32 $0, $1, 2.0;": lambda x: torch.fmax(x, torch.tensor(2.0)),
    "min.NaN.f32 $0, $1, 2.0;": lambda x: torch.minimum(x, torch.tensor(2.0)),
    "{ .reg .b16 h; cvt.rn.f16.f32 h, $1; cvt.f32.f16 $0, h; }": lambda x: x.half().float(),
    "{ .reg .b16 h; cvt.rn.bf16.f32 h, $1; cvt.f32.bf16 $0, h; }": lambda x: x.bfloat16().float(),
    "{ .reg .f64 d; cvt.f64.f32 d, $1; add.rn.f64 d, d, 0d3FF0000000000000; cvt.rn.f32.f64 $0, d; }":
        lambda x: (x.double() + 1).float(),
    "{ .reg .s32 n; cvt.rni.s32.f32 n, $1; cvt.rn.f32.s32 $0, n; }":
        lambda x: x.double().nan_to_num(0.0).round().clamp(-(2**31), 2**31 - 1).float(),
}  # fmt: skip


@pytest.mark.parametrize("asm", [*ROUGH, *EXACT])
@pytest.mark.parametrize("letter", ["f", "r"])
def test_floats(run: Run, device: str, asm: str, letter: str) -> None:
    out = torch.zeros_like(FLOATS)
    run(transformed, (1,), FLOATS, out, len(FLOATS), asm, f"={letter},{letter}", tl.float32, 1)
    expected = {**ROUGH, **EXACT}[asm](FLOATS)
    # A GPU's table is accurate to better than 2^-10.
    rough = 2e-6 if device == "cpu" or "tanh" not in asm else 1e-3
    torch.testing.assert_close(out, expected, rtol=rough if asm in ROUGH else 0, atol=0, equal_nan=True)


def test_a_sum_that_is_rounded_by_itself_is_no_part_of_a_product(run: Run) -> None:
    x = torch.linspace(0.1, 3.7, 16)
    out = torch.zeros_like(x)
    asm = "{ .reg .f32 t; mul.rn.f32 t, $1, $1; add.rn.f32 $0, t, -1.0; }"
    run(transformed, (1,), x, out, 16, asm, "=f,f", tl.float32, 1)
    assert out.tolist() == (x * x - 1).tolist()


# For 16 bits, `pack` elements share a register; the upper half of a packed register is the first source.
def test_halves_are_packed_and_multiplied_in_pairs(run: Run) -> None:
    x = torch.randn(16, generator=torch.Generator().manual_seed(3)).bfloat16()
    out = torch.zeros_like(x)
    run(transformed, (1,), x, out, 16, "mul.bf16x2 $0, $1, $1;", "=r,r", tl.bfloat16, 2)
    assert out.tolist() == (x * x).tolist()


def test_floats_become_eight_bits_two_at_a_time(run: Run) -> None:
    values = [0.0, -0.0, 1.0, -1.5, 447.0, 500.0, -1e9, 0.0019, 0.001, 17.0, 18.0, 19.0, 0.3, -0.3, 240.0, 100.0]
    x = torch.tensor(values)
    out = torch.zeros(16, dtype=torch.uint8)
    asm = "cvt.rn.satfinite.e4m3x2.f32 $0, $2, $1;"
    run(transformed, (1,), x, out, 16, asm, "=h,f,f", tl.uint8, 2)
    assert out.tolist() == x.clamp(-448, 448).to(torch.float8_e4m3fn).view(torch.uint8).tolist()


def test_eight_bits_become_halves(run: Run) -> None:
    x = torch.arange(0, 256, dtype=torch.uint8)
    out = torch.zeros(256, dtype=torch.float16)
    asm = "{ .reg .b16 a<2>; mov.b32 {a0, a1}, $2; cvt.rn.f16x2.e5m2x2 $0, a0; cvt.rn.f16x2.e5m2x2 $1, a1; }"
    run(transformed, (1,), x, out, 256, asm, "=r,=r,r", tl.float16, 4)
    torch.testing.assert_close(out, x.view(torch.float8_e5m2).half(), rtol=0, atol=0, equal_nan=True)


GRID = [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
TIES = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0, 5.5]
TO_EVEN = [0.0, 1.0, 1.0, 2.0, 2.0, 4.0, 4.0, 6.0]
PACKS = "{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $2, $1; cvt.u32.u8 $0, t; }"


@blockdsl.jit
def packed_quarters(x, y, out, N: tl.constexpr, ASM: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(out + at, tl.inline_asm_elementwise(ASM, "=r,r,r", [tl.load(x + at), tl.load(y + at)], tl.uint8, True, 1))


def test_floats_become_four_bits_two_at_a_time(run: Run) -> None:
    low = torch.tensor([*GRID, *TIES, 100.0, float("inf"), float("nan"), -0.1, -5.5, -0.0, 1e-9, 4.9])
    low = torch.cat([low, torch.zeros(32 - len(low))])
    high = -low
    expected = [*GRID, *TO_EVEN, 6.0, 6.0, 6.0, -0.0, -6.0, -0.0, 0.0, 4.0, *[0.0] * 8]
    out = torch.zeros(32, dtype=torch.uint8)
    run(packed_quarters, (1,), low, high, out, 32, PACKS)
    codes = [GRID.index(abs(value)) for value in expected]
    signs = [bool(torch.signbit(value)) and not value.isnan() for value in low]
    signs_above = [bool(torch.signbit(value)) and not value.isnan() for value in high]
    parts = zip(codes, signs, signs_above, strict=True)
    assert out.tolist() == [code | sign << 3 | code << 4 | above << 7 for code, sign, above in parts]


def test_four_bits_become_halves(run: Run) -> None:
    x = torch.arange(0, 256, dtype=torch.uint8).repeat_interleave(2)
    out = torch.zeros(512, dtype=torch.float16)
    asm = "{ .reg .b8 b<2>; mov.b16 {b0, b1}, $1; cvt.rn.f16x2.e2m1x2 $0, b0; }"
    run(transformed, (1,), x, out, 512, asm, "=r,h", tl.float16, 2)
    signed = [*GRID, *(-value for value in GRID)]
    assert out.view(-1, 2).tolist() == [[signed[code & 15], signed[code >> 4]] for code in range(256)]


@blockdsl.jit
def of_bytes_and_floats(a_ptr, b_ptr, c_ptr, d_ptr, N: tl.constexpr, ASM: tl.constexpr):
    rows = tl.arange(0, N)[:, None]
    c, d = tl.inline_asm_elementwise(
        ASM, "=r,=r,=f,=f,r,f,f", [tl.load(a_ptr + rows), tl.load(b_ptr + rows)], (tl.int32, tl.float32), True, 2
    )
    tl.store(c_ptr + rows, c)
    tl.store(d_ptr + rows, d)


def test_two_results_of_two_kinds_and_groups_of_several_rows(run: Run) -> None:
    a = torch.arange(0, 160, 10, dtype=torch.uint8)
    b = torch.linspace(-100, 100, 16)
    c, d = torch.zeros(16, dtype=torch.int32), torch.zeros(16)
    asm = """{
        .reg .b16 low, high;           // two bytes, and what a register has above them
        .reg .b8 t<2>;
        mov.b32 {low, high}, $4;
        mov.b16 {t0, t1}, low;
        cvt.u32.u8 $0, t0;
        cvt.u32.u8 $1, t1;
    }
    cvt.rn.f32.s32 $2, $0;
    cvt.rn.f32.s32 $3, $1;
    max.f32 $2, $2, $5;
    max.f32 $3, $3, $6;"""
    run(of_bytes_and_floats, (1,), a, b, c, d, 16, asm)
    assert c.tolist() == a.tolist()
    assert d.tolist() == torch.maximum(a.float(), b).tolist()


@blockdsl.jit
def of_scalars(x_ptr, out_ptr):
    total = tl.inline_asm_elementwise("add.s64 $0, $1, $2;", "=l,l,l", [tl.load(x_ptr), 5], tl.int64, True, 1)
    (again,) = tl.inline_asm_elementwise(
        "add.u32 $0, $0, 1;", "=r,0", [tl.load(x_ptr).to(tl.int8)], (tl.int8,), True, 4
    )
    tl.store(out_ptr, total)
    tl.store(out_ptr + 1, again)


def test_scalars_and_inputs_in_the_register_of_a_result(run: Run) -> None:
    x, out = torch.tensor([40], dtype=torch.int64), torch.zeros(2, dtype=torch.int64)
    run(of_scalars, (1,), x, out)
    assert out.tolist() == [45, 41]


@blockdsl.jit
def asks_where_and_when(times, processors):
    pid = tl.program_id(0)
    start = cuda.globaltimer()
    tl.store(processors + pid, cuda.smid())
    tl.store(times + 2 * pid, start)
    tl.store(times + 2 * pid + 1, cuda.globaltimer())


def test_clock_increases_and_processor_id_is_in_range(run: Run) -> None:
    times, processors = torch.zeros(8, 2, dtype=torch.int64), torch.full((8,), -1, dtype=torch.int32)
    run(asks_where_and_when, (8,), times, processors)
    assert (times[:, 0] > 0).all()
    assert (times[:, 1] >= times[:, 0]).all()
    assert ((processors >= 0) & (processors < 4096)).all()


@blockdsl.jit
def asks_for_its_position(out, NAMES: tl.constexpr):
    program = tl.program_id(0) + 4 * tl.program_id(1)
    for i in tl.static_range(len(NAMES)):
        value = tl.inline_asm_elementwise("mov.u32 $0, %" + NAMES[i] + ";", "=r", [], tl.int32, False, 1)
        tl.store(out + program * len(NAMES) + i, value)


def test_a_programs_position_is_that_of_its_block_of_threads(run: Run) -> None:
    names = ("ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z")
    out = torch.full((8, 6), -1, dtype=torch.int32)
    run(asks_for_its_position, (4, 2), out, names)
    assert out.tolist() == [[x, y, 0, 4, 2, 1] for y in range(2) for x in range(4)]


@blockdsl.jit
def asks_for_times_of_32_bits(out):
    low = tl.inline_asm_elementwise("mov.u32 $0, %globaltimer_lo;", "=r", [], tl.uint32, False, 1)
    high = tl.inline_asm_elementwise("mov.u32 $0, %globaltimer_hi;", "=r", [], tl.uint32, False, 1)
    tl.store(out, cuda.globaltimer())
    tl.store(out + 1, (high.to(tl.int64) << 32) + low.to(tl.int64))
    tl.store(out + 2, tl.inline_asm_elementwise("mov.u32 $0, %nsmid;", "=r", [], tl.int32, False, 1))
    tl.store(out + 3, cuda.smid())


def test_halves_of_the_clock_and_the_number_of_processors(run: Run) -> None:
    out = torch.zeros(4, dtype=torch.int64)
    run(asks_for_times_of_32_bits, (1,), out)
    whole, halves, processors, processor = out.tolist()
    # The three reads are seconds apart at most; between them the low half may wrap.
    assert min(abs(whole - halves), abs(abs(whole - halves) - 2**32)) < 60e9
    assert 0 <= processor < processors


@blockdsl.jit
def branches(x, out):
    at = tl.arange(0, 16)
    y = tl.inline_asm_elementwise("L: add.s32 $0, $1, 1;", "=r,r", [tl.load(x + at)], tl.int32, True, 1)
    tl.store(out + at, y)


@pytest.mark.cpu_only  # A GPU accepts all that its assembler does.
def test_unsupported_assembly_is_refused_at_its_line(run: Run) -> None:
    x: Any = torch.zeros(16, dtype=torch.int32)
    with pytest.raises(BlockdslError, match=r"elementwise") as got:
        run(branches, (1,), x, x.clone())
    assert got.value.hint == "the functions of the language run everywhere"
    assert got.value.location is not None
    assert got.value.location.function == "branches"


# The compiler's messages for these are in test/Dialect/TT/Transforms/read-assembly-invalid.mlir.
INTERPRETED = {
    "ld.global.b32 $0, [$1];": "'inline_asm_elementwise' does not read 'ld.global.b32 $0, [$1]'",
    "add.sat.u32 $0, $1, 1;": "'inline_asm_elementwise' does not read 'add.sat.u32 $0, $1, 1'",
    "and.u32 $0, $1, 1;": "'inline_asm_elementwise' does not read 'and.u32 $0, $1, 1'",
    "bfe.b32 $0, $1, 1, 1;": "'inline_asm_elementwise' does not read 'bfe.b32 $0, $1, 1, 1'",
    "prmt.b32.f4e.b4e $0, $1, 1, 1;": "'inline_asm_elementwise' does not read 'prmt.b32.f4e.b4e $0, $1, 1, 1'",
    ".reg .pred p; @p bra L;": "'inline_asm_elementwise' does not read '@p bra L'",
    "bra L;": "'inline_asm_elementwise' does not read 'bra L'",
    ".reg .pred p; setp.lt.nor.s32 p, $1, 1, p;": "does not read 'setp.lt.nor.s32 p, $1, 1, p'",
    ".reg .pred p; setp.lo.s32 p, $1, 1;": "'inline_asm_elementwise' does not read 'setp.lo.s32 p, $1, 1'",
    ".reg .pred p; setp.lt.f16x2 p, $1, 1;": "'inline_asm_elementwise' does not read 'setp.lt.f16x2 p, $1, 1'",
    ".reg .pred p; add.s32 $0, p, 1;": "'inline_asm_elementwise' does not read 'p'",
    ".reg .pred p; mov.b32 p, $1;": "'inline_asm_elementwise' does not read 'p'",
    ".reg .pred p; @$1 mov.b32 $0, $1;": "'inline_asm_elementwise' does not read '$1'",
    ".reg .f128 p;": "'inline_asm_elementwise' does not read '.reg .f128 p'",
    "add.s32 $0, $1;": "'inline_asm_elementwise' does not read 'add.s32 $0, $1'",
    "tanh.approx.s32 $0, $1;": "'inline_asm_elementwise' does not read 'tanh.approx.s32 $0, $1'",
    "cvt.s32.f32 $0, $1;": "'inline_asm_elementwise' does not read 'cvt.s32.f32 $0, $1'",
    "cvt.rn.e4m3x2.f32 $0, $1, $1;": "'inline_asm_elementwise' does not read 'cvt.rn.e4m3x2.f32 $0, $1, $1'",
    "@p mov.b32 $0, 1;": "'inline_asm_elementwise' does not read 'p'",
    "mov.b32 $0, q;": "'inline_asm_elementwise' does not read 'q'",
    "mov.b32 q, $1;": "'inline_asm_elementwise' does not read 'q'",
}


def interpret(asm: str, constraints: str, pack: int = 1) -> None:
    x = torch.zeros(16, dtype=torch.int32)
    values = {"x": x, "out": x.clone(), "N": 16, "ASM": asm, "CONSTRAINTS": constraints, "KIND": tl.int32, "PACK": pack}
    interpreter.run(transformed.source, values, (1,))


@pytest.mark.parametrize("asm", INTERPRETED)
def test_interpreter_refuses_unsupported_assembly(asm: str) -> None:
    with pytest.raises(TypeMismatchError, match=re.escape(INTERPRETED[asm])):
        interpret(asm, "=r,r")


@pytest.mark.parametrize(
    ("constraints", "message"),
    [
        ("=r,m", "'inline_asm_elementwise' expects constraints for registers of 8 to 64 bits, got 'm'"),
        ("=r,r,r", "'inline_asm_elementwise' expects constraints for 1 results and 1 operands, got '=r,r,r'"),
        ("=r", "'inline_asm_elementwise' expects a constraint for register $1 of 32 bits or more"),
        ("=r,h", "'inline_asm_elementwise' expects a constraint for register $1 of 32 bits or more"),
    ],
)
def test_mismatched_registers(constraints: str, message: str) -> None:
    with pytest.raises(TypeMismatchError, match=re.escape(message)):
        interpret("mov.b32 $0, 1;", constraints)

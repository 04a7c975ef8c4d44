"""Draws inline assembly that has an exact result on a CPU: integers, bits of registers, and predicates."""

from __future__ import annotations

from typing import Any

from .draw import Drawing, Literal, RejectedError, draws
from .elementwise import integer

# The operands of each: x is a register of 32 bits or a number, n a number of bits, d a divisor, p a predicate.
_INSTRUCTIONS = {
    **{f"{name}.{sign}32": "xx" for name in ("add", "sub", "mul.lo", "min", "max") for sign in "su"},
    **dict.fromkeys(("add.sat.s32", "sub.sat.s32", "and.b32", "or.b32", "xor.b32"), "xx"),
    **dict.fromkeys(("mad.lo.s32", "mad.lo.u32"), "xxx"),
    **dict.fromkeys(("not.b32", "neg.s32", "abs.s32", "mov.b32"), "x"),
    **dict.fromkeys(("shl.b32", "shr.u32", "shr.s32"), "xn"),
    **dict.fromkeys(("bfe.u32", "bfe.s32"), "xnn"),
    "bfi.b32": "xxnn",
    **{f"prmt.b32{mode}": "xxx" for mode in ("", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16")},
    **dict.fromkeys(("selp.b32", "selp.s32"), "xxp"),
    **dict.fromkeys(("mul.hi.s32", "mul.hi.u32"), "xx"),
    **dict.fromkeys(("mad.hi.s32", "sad.s32", "sad.u32", "dp4a.s32.s32", "dp4a.u32.s32"), "xxx"),
    **dict.fromkeys(("brev.b32", "popc.b32", "clz.b32"), "x"),
    **dict.fromkeys(("shf.l.wrap.b32", "shf.r.wrap.b32", "shf.l.clamp.b32", "shf.r.clamp.b32"), "xxn"),
    **{f"{name}.{sign}32": "xd" for name in ("div", "rem") for sign in "su"},
}
# Those that were not tested on a GPU.
_OF_CPUS = {
    **{f"mul24.{half}.{sign}32": "xx" for half in ("lo", "hi") for sign in "su"},
    **{f"mad24.{half}.{sign}32": "xxx" for half in ("lo", "hi") for sign in "su"},
    **{f"bfind{word}.{sign}32": "x" for word in ("", ".shiftamt") for sign in "su"},
    **{f"bmsk.{mode}.b32": "nn" for mode in ("clamp", "wrap")},
    **{f"szext.{mode}.{sign}32": "xn" for mode in ("clamp", "wrap") for sign in "su"},
    **{f"dp2a.{half}.{left}32.{right}32": "xxx" for half in ("lo", "hi") for left in "su" for right in "su"},
    **{f"set.{comparison}.u32.s32": "xx" for comparison in ("lt", "eq", "ge")},
    "cnot.b32": "x", "slct.b32.s32": "xxx", "set.hi.and.s32.u32": "xxp",
}  # fmt: skip
_COMPARISONS = {
    "s32": ("eq", "ne", "lt", "le", "gt", "ge"), "u32": ("eq", "ne", "lo", "ls", "hi", "hs", "lt"), "b32": ("eq", "ne"),
}  # fmt: skip
_REGISTERS, _PREDICATES = ("t0", "t1", "t2", "$0"), ("p0", "p1")
_WIDTHS = {"int8": 8, "uint8": 8, "int16": 16, "uint16": 16, "int32": 32, "uint32": 32}


def _number(g: Drawing) -> str:
    return str(g.one_of(0, 1, -1, 3, 8, 31, 255, 0x5410, 0x00FF00FF, 0x7F007F00, -(2**31), 2**31 - 1))


def _source(g: Drawing, kind: str, inputs: int) -> str:
    if kind == "p":
        return str(g.one_of(*_PREDICATES))
    if kind == "d":
        # Triton does not define a quotient by zero, nor that of the smallest integer by -1.
        return str(g.one_of(1, 2, 3, -3, 8, 255, 0x00FF00FF, 2**31 - 1))
    if kind == "n" and (g.device == "cuda" or g.choose.random() < 0.7):
        # From 32 on, a GPU's assembler folds known operands, also in registers, to other results than its manual
        # states.
        return str(g.choose.randrange(40 if g.device == "cpu" else 32))
    if g.choose.random() < 0.2:
        return _number(g)
    return str(g.one_of(*_REGISTERS, *(f"${at}" for at in range(1, inputs + 1))))


def _statement(g: Drawing, inputs: int) -> str:
    guard = g.one_of("", "", "", f"@{g.one_of(*_PREDICATES)} ", f"@!{g.one_of(*_PREDICATES)} ")
    if g.choose.random() < 0.25:
        kind = g.one_of(*_COMPARISONS)
        targets = g.one_of("p0", "p1", "p0|p1", "_|p0")
        combined, predicate = g.one_of(("", ""), ("", ""), (".and", ", p1"), (".or", ", !p0"), (".xor", ", p0"))
        left, right = _source(g, "x", inputs), _source(g, "x", inputs)
        return f"{guard}setp.{g.one_of(*_COMPARISONS[kind])}{combined}.{kind} {targets}, {left}, {right}{predicate};"
    if g.choose.random() < 0.1:
        return f"{guard}{g.one_of('and', 'or', 'xor')}.pred p0, p0, p1;"
    # A GPU's assembler folds a known smallest integer to a sum with its negation, which wraps.
    instructions = _INSTRUCTIONS | _OF_CPUS if g.device == "cpu" else _INSTRUCTIONS
    name = g.one_of(*(candidate for candidate in instructions if g.device == "cpu" or candidate != "sub.sat.s32"))
    sources = [_source(g, kind, inputs) for kind in instructions[name]]
    return f"{guard}{name} {', '.join((g.one_of(*_REGISTERS), *sources))};"


@draws("inline_asm_elementwise", 2, nested=0.7)
def assembly(g: Drawing) -> Any:
    """The elements of one register are a group."""
    # Triton does not define which elements share a register on a GPU, nor the rest of a register with one element.
    widths = {name: width for name, width in _WIDTHS.items() if width == 32 or g.device == "cpu"}
    a = g.pick(lambda value: integer(value) and repr(value.dtype).rpartition(".")[2] in widths)
    kind, _ = g.kind(a)
    value = g.values[a]
    b = g.like(a, lambda other: bool(other.dtype == value.dtype) and other.shape in ((), value.shape))
    pack = g.one_of(*(size for size in (1, 2, 4) if size <= 32 // _WIDTHS[kind]))
    if value.shape and value.numel % pack:
        raise RejectedError
    inputs = g.one_of(1, 2)
    begin = [f"mov.b32 {name}, {g.one_of('$1', f'${inputs}', _number(g))};" for name in ("t0", "t1", "t2", "$0")]
    begin += [f"setp.{g.one_of('lt', 'ne')}.s32 {name}, {g.one_of('$1', 't0')}, {_number(g)};" for name in _PREDICATES]
    body = [_statement(g, inputs) for _ in range(g.choose.randint(2, 8))]
    end = [f"xor.b32 $0, $0, {g.one_of(*_REGISTERS[:3])};"]
    # A form is formatted twice, so each brace is written four times.
    text = " ".join(["{{{{ .reg .b32 t<3>; .reg .pred p<2>;", *begin, *body, *end, "}}}}"])
    operands, constraints = (("[{}]", "=&r,r"), ("[{}, {}]", "=&r,r,r"))[inputs - 1]
    names = (a, b)[:inputs]
    form = f'tl.inline_asm_elementwise("{text}", "{constraints}", {operands}, tl.{{}}, True, {pack})'
    return g.let(form, *names, Literal(kind))

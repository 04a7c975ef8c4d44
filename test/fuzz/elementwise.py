"""Draws arithmetic, comparisons, conversions and functions of numbers."""

from __future__ import annotations

from typing import Any

from blockdsl.language.extra import libdevice
from blockdsl.language.tensor import tensor

from .draw import Drawing, Literal, RejectedError, draws
from .values import KINDS


def integer(value: Any) -> bool:
    return bool(value.dtype.is_int() and not value.dtype.is_bool())


def boolean(value: Any) -> bool:
    return bool(value.dtype.is_bool())


def floating(value: Any) -> bool:
    return bool(value.dtype.is_standard_floating())


def single(value: Any) -> bool:
    return bool(value.dtype.is_fp32() or value.dtype.is_fp64())


def numeric(value: Any) -> bool:
    return integer(value) or floating(value)


def any_kind(g: Drawing) -> str:
    """Returns a type's name, rarely an 8-bit float; a GPU has only some of those."""
    float8_weights = (0.3, 0.3, 0.2, 0.2) if g.device == "cpu" else (0, 0, 0, 0)
    return str(g.choose.choices(list(KINDS), [2, 5, 4, 6, 5, 5, 3, 5, 3, 2, 2, 6, 2, *float8_weights])[0])


def ordered(g: Drawing, form: str, a: str, b: str) -> Any:
    """A binary op, in either order."""
    return g.let(form, a, b) if g.choose.random() < 0.75 else g.let(form, b, a)


@draws("add sub mul", 8)
def arithmetic(g: Drawing) -> Any:
    a = g.pick(numeric)
    form = g.one_of("{} + {}", "{} - {}", "{} * {}", "{} + {}", "tl.add({}, {})", "tl.mul({}, {})", "tl.sub({}, {})")
    return ordered(g, form, a, g.operand_for(a, numeric))


@draws("", 4)
def hashed(g: Drawing) -> Any:
    """Integers that wrap, computed from ids."""
    a = g.pick(integer)
    form = g.one_of(
        "({} * {}).to(tl.{})", "({} + {}).to(tl.{})", "(({} ^ ({} >> 3)) * 0x45d9f3b).to(tl.{})",
        "({} * {} + 12345).to(tl.{})",
    )  # fmt: skip
    b = a if ">> 3" in form else g.number(a) if g.choose.random() < 0.7 else g.like(a, integer)
    return g.let(form, a, b, Literal(g.one_of(*[name for name in KINDS if "int" in name])))


@draws("", 1)
def multiple(g: Drawing) -> Any:
    """Ids of few lanes multiplied by a factor; in a wider type the product may wrap once."""
    lanes = g.one_of(1, 2, 2, 4, g.one_of(*g.sizes))
    factor = g.choose.choice((-1, -3, 255, 2**31 - 1, -(2**31), 0x55555555))
    narrow = g.one_of("int8", "uint8", "int16", "uint16", "int32", "uint32", "uint32")
    wide = g.one_of("int64", "uint64")
    form = f"(tl.arange(0, {lanes}) * {factor}).to(tl.{narrow}).to(tl.{wide})"
    if g.choose.random() < 0.3:
        return g.let(form.replace("(", "({} + ", 1), g.pid)
    return g.let(form)


@draws("cdiv", 3)
def division(g: Drawing) -> Any:
    a = g.pick(integer)
    form = g.one_of("{} // {}", "{} % {}", "tl.cdiv({}, {})", "{} // ({} | 1)", "{} % ({} | 1)")
    if g.device == "cuda":
        # Division by zero, and that of the smallest number by -1, are undefined there.
        return g.let(g.one_of("{} // (({} & 7) + 1)", "{} % (({} & 7) + 1)"), a, g.like(a, integer))
    return ordered(g, form, a, g.operand_for(a, integer))


@draws("fdiv div_rn", 2.5)
def quotient(g: Drawing) -> Any:
    form = g.one_of("{} / {}", "tl.fdiv({}, {})", "tl.fdiv({}, {}, ieee_rounding=True)", "tl.div_rn({}, {})")
    accept = numeric
    if g.device == "cuda" and form != "{} / {}":
        # The other forms take f32 only in some version of Triton, or floats with as many bits as a literal has.
        accept = lambda value: bool(value.dtype.is_fp32())  # noqa: E731
    a = g.pick(accept)
    return ordered(g, form, a, g.operand_for(a, accept))


@draws("", 5)
def bits(g: Drawing) -> Any:
    a = g.pick(lambda value: integer(value) or boolean(value))
    form = g.one_of("{} & {}", "{} | {}", "{} ^ {}")
    return ordered(g, form, a, g.operand_for(a, lambda value: integer(value) or boolean(value)))


@draws("", 3)
def shift(g: Drawing) -> Any:
    a = g.pick(integer)
    by: str = Literal(g.choose.choice((0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 40, 63, 64, 100)))
    if g.choose.random() < 0.4:
        by = g.like(a, integer)
    return g.let(g.one_of("{} << {}", "{} >> {}", "{} >> ({} & 7)", "{} << ({} & 7)"), a, by)


@draws("", 4)
def comparison(g: Drawing) -> Any:
    a = g.pick(numeric)
    form = "{} " + g.one_of("<", "<=", ">", ">=", "==", "!=") + " {}"
    return ordered(g, form, a, g.operand_for(a, numeric))


@draws("", 2)
def masks(g: Drawing) -> Any:
    """Bools computed from bools and ids."""
    if g.choose.random() < 0.4:
        a = g.block(integer)
        return g.let(g.one_of("{} == 0", "{} % 3 == 1", "{} < {}", "{} >= {}", "({} & 1) == 0"), *(
            [a, Literal(g.choose.choice((1, 2, 3, 5, 9, 17)))]))  # fmt: skip
    a = g.pick(boolean)
    b = g.like(a, boolean)
    return g.let(g.one_of("{} & {}", "{} | {}", "{} ^ {}", "~{} & {}", "{} & ~{}"), a, b)


@draws("abs", 2)
def unary(g: Drawing) -> Any:
    a = g.pick(lambda value: numeric(value) or boolean(value), any_error=True)
    # Triton's tensors have no plus; up to 3.8, minus makes a zero positive.
    minus = () if floating(g.values[a]) else ("-{}", "-{}")
    return g.let(g.one_of("~{}", "tl.abs({})", "{}.abs()", *minus, cpu=("+{}", "-{}")), a)


def converted(g: Drawing, value: str, kind: str, form: str = "{}.to(tl.{})") -> str:
    if g.device == "cuda" and floating(g.values[value]) and KINDS[kind].is_int():
        # Conversions of floats beyond all integers are undefined there.
        form = "tl.clamp({}.to(tl.float32), 0.0, 100.0).to(tl.{})"
    return str(g.let(form, value, Literal(kind)))


@draws("cast", 7)
def conversion(g: Drawing) -> Any:
    a = g.pick()
    kind = any_kind(g)
    width = g.values[a].dtype.primitive_bitwidth
    if integer(g.values[a]) and width > 16 and g.choose.random() < 0.15:
        # A shift that leaves few bits of a number beyond the type.
        a = g.let("{} << {}", a, Literal(width - g.choose.randint(1, 12)))
        return g.let("{}.to(tl.{})", g.let("{}.to(tl.float16)", a), Literal(g.one_of("float32", "float64")))
    return converted(g, a, kind, g.one_of("{}.to(tl.{})", "{}.to(tl.{})", "tl.cast({}, tl.{})"))


@draws("", 1.5)
def reinterpretation(g: Drawing) -> Any:
    a = g.pick()
    width = g.values[a].dtype.primitive_bitwidth
    same_width = [name for name, kind in KINDS.items() if kind.primitive_bitwidth == width and "float8" not in name]
    return g.let("{}.to(tl.{}, bitcast=True)", a, Literal(g.one_of(*same_width)))


@draws("", 0.7)
def rounding(g: Drawing) -> Any:
    a = g.pick(floating)
    kinds = ("float16", "bfloat16", "float32", "float8e5", "float8e4nv")
    return g.let('{}.to(tl.{}, fp_downcast_rounding="{}")', a, Literal(g.one_of(*kinds)),
                 Literal(g.one_of("rtne", "rtz")))  # fmt: skip


@draws("where", 4)
def choice(g: Drawing) -> Any:
    a = g.pick(any_error=True)
    shape = g.values[a].shape
    condition = g.pick(lambda value: boolean(value) and value.shape in (shape, ()))
    b = g.operand_for(a)
    return g.let("tl.where({}, {}, {})", *([condition, a, b] if g.choose.random() < 0.7 else [condition, b, a]))


@draws("maximum minimum clamp", 3)
def limits(g: Drawing) -> Any:
    a = g.pick(numeric, any_error=True)
    nan = g.one_of("", "", ", propagate_nan=tl.PropagateNan.ALL")
    if g.choose.random() < 0.25:
        if g.device == "cuda" and integer(g.values[a]):
            raise RejectedError  # Triton clamps floats alone.
        bounds = ("-3", "5") if integer(g.values[a]) else ("-3.0", "5.0")
        return g.let("tl.clamp({}, {}, {}" + (nan if floating(g.values[a]) else "") + ")", a, *map(Literal, bounds))
    return ordered(g, g.one_of("tl.maximum({}, {}", "tl.minimum({}, {}") + nan + ")", a, g.operand_for(a, numeric))


@draws("maximum minimum where", 2)
def bounds(g: Drawing) -> Any:
    """Floats that are bounded twice, by selections that may differ for NaN; the second may be a conversion's."""
    a = g.pick(floating)
    if g.device == "cuda":
        a = g.let("tl.where({} == {}, {}, {})", a, a, a, g.number(a))  # Triton does not avoid LLVM's fault.
    elif g.choose.random() < 0.7:
        a = g.let('tl.where({} > {}, float("nan"), {})', a, g.number(a), a)
    bound, larger = g.one_of("0.0", "1.0", "-3.0", "2"), g.choose.random() < 0.5
    name, comparison = ("maximum", ">") if larger else ("minimum", "<")
    forms = [
        f"tl.{name}({{}}, {bound}, propagate_nan=tl.PropagateNan.ALL)",
        f"tl.{name}({{}}, {bound})",
        f"tl.where({bound} {comparison} {{}}, {bound}, {{}})",
        f"tl.where({{}} {comparison} {bound}, {{}}, {bound})",
    ]
    for form in g.choose.sample(forms, 2):
        a = g.let(form, *[a] * form.count("{}"))
    if not larger or g.device == "cuda":
        return a  # Conversions of floats beyond all integers are undefined on a GPU.
    return g.let("{}.to({})", a, Literal(g.one_of("tl.uint32", "tl.uint8", "tl.int32")))


@draws("fma umulhi", 1.5)
def products(g: Drawing) -> Any:
    if g.choose.random() < 0.4:
        a = g.pick(floating)
        return g.let("tl.fma({}, {}, {})", a, g.like(a, floating), g.operand_for(a, floating))
    # Triton multiplies only numbers of 32 and 64 bits.
    accept = integer if g.device == "cpu" else lambda value: integer(value) and value.dtype.primitive_bitwidth >= 32
    if g.choose.random() < 0.5:
        a = g.pick(accept)
        return g.let("tl.umulhi({}, {})", a, g.operand_for(a, accept))
    # LLVM derives many bits of a high product, computed in twice the width, if a factor is known in some lanes.
    a = partly_known(g, g.block(lambda value: integer(value) and value.dtype.primitive_bitwidth == 32))
    b = g.let("{} + {}", a, g.pid) if g.choose.random() < 0.5 else g.operand_for(a, accept)
    return g.let("tl.umulhi({}, {})", a, b)


@draws("", 2)
def partly_constant(g: Drawing) -> Any:
    return partly_known(g, g.block(numeric))


def partly_known(g: Drawing, a: str) -> str:
    """A block whose last lanes, or all but one, are a constant."""
    shape = g.values[a].shape
    lanes = f"tl.arange(0, {shape[-1]})" + ("[" + "None, " * (len(shape) - 1) + ":]" if len(shape) > 1 else "")
    form = lanes + g.one_of(" < {}", " < {}", " == {}", " != {}")
    chosen = g.let(form, Literal(g.choose.randrange(shape[-1])))
    return str(g.let("tl.where({}, {}, {})", chosen, a, g.one_of(Literal(1), g.number(a))))


@draws("exp exp2 log log2 sin cos sqrt rsqrt erf floor ceil sqrt_rn sigmoid", 2)
def function(g: Drawing) -> Any:
    a = g.pick(numeric)
    name = g.one_of("exp", "exp2", "log", "log2", "sin", "cos", "sqrt", "rsqrt", "erf", "floor", "ceil", "sqrt_rn",
                    "sigmoid")  # fmt: skip
    if not single(g.values[a]):
        a = g.let("{}.to(tl.float32)", a)
    return g.let(g.one_of(f"tl.{name}({{}})", f"tl.math.{name}({{}})" if name != "sigmoid" else "tl.sigmoid({})"), a)


# test/python/numerics tests the gamma functions and the like; these are the common ones.
_DEVICE_FUNCTIONS = ("tanh", "exp10", "expm1", "log1p", "atan", "sinh", "rint", "trunc", "round", "isnan", "isinf",
                     "signbit", "popc", "fmod", "copysign", "nextafter", "fmax", "pow")  # fmt: skip


@draws("extern_elementwise", 0.7)
def device_function(g: Drawing) -> Any:
    name = g.one_of(*_DEVICE_FUNCTIONS)
    if name == "popc":
        return g.let("libdevice.popc({})", g.pick(lambda value: value.dtype.is_int32() or value.dtype.is_int64()))
    if name not in libdevice.FUNCTIONS:
        raise RejectedError
    a = g.pick(numeric)
    if not single(g.values[a]):
        a = g.let("{}.to(tl.float32)", a)
    if name in ("fmod", "copysign", "nextafter", "fmax", "pow"):
        kind = g.values[a].dtype
        return g.let(f"libdevice.{name}({{}}, {{}})", a, g.like(a, lambda value: value.dtype == kind))
    return g.let(f"libdevice.{name}({{}})", a)


@draws("arange full zeros zeros_like to_tensor", 3)
def created(g: Drawing) -> Any:
    form = g.one_of("arange", "arange", "full", "zeros", "like", "scalar")
    if form == "arange":
        size = g.one_of(*g.sizes)
        start = g.one_of(0, 0, 0, 1, 5, size)
        return g.let(f"tl.arange({start}, {start + size})")
    if form == "scalar":
        return g.let(f"tl.to_tensor({g.one_of(0, 1, 7, -3, 2.5, 2**40)})")
    example = g.block()
    if form == "like":
        return g.let("tl.zeros_like({})", example)
    kind, shape = any_kind(g), g.values[example].shape
    if form == "zeros":
        return g.let(f"tl.zeros({shape}, tl.{kind})")
    value = g.one_of(0, 1, -1, 3) if KINDS[kind].is_int_signed() else g.one_of(0, 1, 3)
    return g.let(f"tl.full({shape}, {value}, tl.{kind})")


@draws("program_id num_programs", 2)
def place(g: Drawing) -> Any:
    axis = g.choose.randrange(3)
    form = g.one_of("tl.program_id({})", "tl.program_id({})", "tl.num_programs({})", "tl.program_id({}) * 16 + 3")
    return g.let(form, Literal(axis))


@draws("", 2)
def argument(g: Drawing) -> Any:
    """A number that the launch passes, or a constant of the kernel's."""
    value = g.one_of(0, 1, 2, 3, 5, 7, 16, 17, 32, 48, 100, 255, 256, -1, -5, 2**31 - 1, 2**31, 2**40, -(2**40),
                     True, False, 2.0, -0.5, 3.0)  # fmt: skip
    name = g.scalar(value, constexpr=g.choose.random() < 0.15)
    if not isinstance(g.values[name], tensor):
        return g.let("{} + {}", g.pick(numeric), name)
    g.names.append(name)
    return name


@draws("max_contiguous max_constancy multiple_of assume static_assert device_assert debug_barrier", 1.5)
def promises(g: Drawing) -> Any:
    """A true assumption."""
    form = g.one_of("tl.multiple_of({} * 16, 16)", "tl.max_constancy({}, 1)", "tl.max_contiguous({}, 1)")
    if g.choose.random() < 0.4:
        a = g.pick(lambda value: value.dtype.is_int32() and not value.shape)
        return g.do(g.one_of("tl.assume(({} & 0) == 0)", "tl.device_assert({} == {}, 'never')"), a, a)
    if g.choose.random() < 0.4:
        return g.do(g.one_of("tl.debug_barrier()", "tl.static_assert(True)"))
    return g.let(form, g.pick(lambda value: value.dtype.is_int32() and len(value.shape) == 1))

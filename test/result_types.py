"""Records the result types of the language's functions in Triton's own front end, by the types of their operands.

    python test/result_types.py test/python/language/data/result-types-3.9.json

Operators are in operator_types.py. A result type is an element type and a shape, as in ``fp32[16]``; "-" is a refusal.
Each expression is a kernel of its own, of which only the front end runs. No GPU is needed.
"""

from __future__ import annotations

import json
import linecache
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend

from operator_types import DTYPES, NUMBERS

try:
    from triton._C.libtriton import ir
except ImportError as error:
    raise SystemExit(f"result_types: no Triton: {error}") from error

UNARY = (
    "-a", "~a", "a.to(tl.int1) + a.to(tl.int1)", "tl.abs(a)", "tl.sum(a)", "tl.sum(a, 0, dtype=tl.float32)",
    "tl.max(a)", "tl.min(a)", "tl.max(a, 0, return_indices=True)[0]", "tl.max(a, 0, return_indices=True)[1]",
    "tl.argmax(a, 0)", "tl.argmin(a, 0)", "tl.xor_sum(a)", "tl.reduce_or(a, 0)", "tl.cumsum(a)",
    "tl.cumsum(a, dtype=tl.float64)", "tl.cumprod(a)", "tl.sort(a)", "tl.topk(a, 4)", "tl.flip(a)",
    "tl.histogram(a, 16)", "tl.gather(a, i, 0)", "tl.gather(i, a, 0)", "tl.exp(a)", "tl.exp2(a)", "tl.log(a)",
    "tl.log2(a)", "tl.sin(a)", "tl.cos(a)", "tl.sqrt(a)", "tl.sqrt_rn(a)", "tl.rsqrt(a)", "tl.floor(a)", "tl.ceil(a)",
    "tl.erf(a)", "tl.sigmoid(a)", "tl.softmax(a)", "tl.cdiv(a, 3)", "tl.cdiv(a, i)", "a[None, :]",
    "a[:, None] + a[None, :]", "tl.broadcast_to(a, (4, 16))", "tl.expand_dims(a, 0)", "tl.join(a, a)",
    "tl.interleave(a, a)", "tl.cat(a, a, can_reorder=True)", "tl.zeros_like(a)", "tl.where(a, 1, 2)",
    "tl.where(i > 3, a, 0)", "tl.where(i > 3, a, 1.5)", "tl.where(i > 3, 200, a)", "tl.where(i > 3, a, -1)",
    "tl.where(i > 3, s, a)", "tl.where(i > 3, a, f)", "tl.maximum(a, 0)", "tl.maximum(a, 1.5)", "tl.maximum(a, s)",
    "tl.minimum(f, a)", "tl.minimum(a, 70000)", "tl.clamp(a, 0, 1)", "tl.clamp(a, 0.0, 1.0)", "tl.clamp(a, s, s)",
    "tl.fma(a, a, a)", "tl.fma(a, 2.0, 1.0)", "tl.fma(a, 2, 1)", "tl.fma(a, f, a)", "a + s", "a * f", "s - a", "a / s",
    "a // s", "a % s", "f % a", "a << s", "a & s", "a < s", "a == f", "tl.load(p + a)", "(p + a).to(tl.int64)",
    "tl.rand(3, a)", "tl.randint(3, a)", "tl.randn(3, a)", "tl.atomic_add(a_ + i, a)", "tl.atomic_max(a_ + i, a)",
    "tl.atomic_xchg(a_ + i, a)", "tl.atomic_cas(a_ + i, a, a)", "tl.atomic_and(a_ + i, a)", "tl.atomic_add(a_ + i, 1)",
    "tl.load(a_ + i, i < 3, 0)", "tl.load(a_ + i, i < 3, 1.5)", "tl.full((16,), s, a.dtype)",
    "tl.full((16,), f, a.dtype)", "tl.reshape(a, 4, 4)", "tl.trans(a.reshape(4, 4))", "tl.split(a.reshape(8, 2))[0]",
    "a.to(tl.float32, bitcast=True)", "a.to(tl.int8, bitcast=True)", "a.to(tl.int16, bitcast=True)",
    "a.to(tl.float16, fp_downcast_rounding='rtz')", *(f"a.to(tl.{name})" for name in DTYPES),
)  # fmt: skip
BINARY = (
    "tl.maximum(a, b)", "tl.where(i > 3, a, b)", "tl.fma(a, b, a)", "tl.clamp(a, b, b)", "tl.add(a, b)",
    "tl.sub(a, b)", "tl.mul(a, b)", "tl.fdiv(a, b)", "tl.div_rn(a, b)", "tl.umulhi(a, b)", "tl.cdiv(a, b)",
    "tl.dot(a[:, None] + tl.zeros((16, 32), a.dtype), b[None, :] + tl.zeros((32, 16), b.dtype))",
    "tl.dot(tl.zeros((16, 32), a.dtype), tl.zeros((32, 16), a.dtype), out_dtype=b.dtype)",
    "tl.dot(tl.zeros((16, 32), a.dtype), tl.zeros((32, 16), a.dtype), tl.zeros((16, 16), b.dtype))", "tl.join(a, b)",
    "tl.cat(a, b, can_reorder=True)", "tl.atomic_add(a_ + i, b)",
)  # fmt: skip
OF_NUMBERS = (
    "tl.to_tensor({n})",
    "tl.where(i > 3, {n}, 0)",
    "tl.maximum({n}, 1)",
    *(f"tl.full((16,), {{n}}, tl.{t})" for t in DTYPES),
)
SHAPES = ("()", "(1,)", "(4,)", "(1, 1)", "(4, 1)", "(1, 4)", "(4, 4)", "(2, 4)", "(2, 1, 4)", "(1, 4, 1)")
OF_SHAPES = (
    "z({x}) + z({y})", "tl.where(z({x}) > 0, z({y}), 1.0)", "tl.maximum(z({x}), z({y}))",
    "tl.broadcast(z({x}), z({y}))[0]", "tl.broadcast_to(z({x}), {y})", "tl.reshape(z({x}), {y})",
    "tl.fma(z({x}), z({y}), z({x}))", "tl.join(z({x}), z({y}))",
)  # fmt: skip
SHORT = {
    "int1": "i1", **{f"{u}int{n}": f"{u or 'i'}{n}" for u in ("", "u") for n in (8, 16, 32, 64)}, "float16": "fp16",
    "bfloat16": "bf16", "float32": "fp32", "float64": "fp64", "float8e5": "fp8e5", "float8e4nv": "fp8e4nv",
}  # fmt: skip
answers: list[str] = []


@tl.core.builtin
def answer(x: Any, _semantic: Any = None) -> None:
    """Keeps the type of a value."""
    value = _semantic.to_tensor(x)
    shape = ",".join(str(getattr(extent, "value", extent)) for extent in value.shape)
    answers.append(f"{value.dtype}[{shape}]" if shape else str(value.dtype))


# Blocks a and b, scalars s of int32 and f of float32, the address p of a float32, and zeros z in some shape.
_PROGRAM = """
import triton
import triton.language as tl

@triton.jit
def z(shape: tl.constexpr):
    return tl.zeros(shape, tl.float32)

@triton.jit
def kernel(a_, b_, s, f, p):
    i = tl.arange(0, 16)
    a = tl.load(a_ + i)
    b = tl.load(b_ + i)
    answer(EXPRESSION)
"""


@cache
def _hopper() -> tuple[Any, Any, Any]:
    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    return target, backend, backend.parse_options({})


def type_of(expression: str, a: str = "float32", b: str = "float32") -> str:
    """Returns Triton's results for operands of two dtypes."""
    text = _PROGRAM.replace("EXPRESSION", expression)
    linecache.cache["<kernel>"] = (len(text), None, text.splitlines(keepends=True), "<kernel>")
    names: dict[str, Any] = {"__name__": "kernel", "answer": answer}
    exec(compile(text, "<kernel>", "exec"), names)
    signature = {"a_": f"*{SHORT[a]}", "b_": f"*{SHORT[b]}", "s": "i32", "f": "fp32", "p": "*fp32"}
    target, backend, options = _hopper()
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    source = ASTSource(names["kernel"], signature, {})
    answers.clear()
    try:
        source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    except Exception:
        return "-"
    return answers[-1]


def main() -> None:
    """Prints all tables."""
    warnings.simplefilter("ignore")
    tables = {
        "dtypes": DTYPES,
        "numbers": NUMBERS,
        "shapes": SHAPES,
        "unary": {each: " ".join(type_of(each, a) for a in DTYPES) for each in UNARY},
        "binary": {form: {a: " ".join(type_of(form, a, b) for b in DTYPES) for a in DTYPES} for form in BINARY},
        "of numbers": {form: " ".join(type_of(form.format(n=n)) for n in NUMBERS) for form in OF_NUMBERS},
        "of shapes": {
            form: {x: " ".join(type_of(form.format(x=x, y=y)) for y in SHAPES) for x in SHAPES} for form in OF_SHAPES
        },
    }
    print(f"Triton {triton.__version__}")
    Path(sys.argv[1]).write_text(json.dumps(tables, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

"""``python -m fuzz.stock``: how many programs drawn for a GPU the first Triton on the path compiles, without a GPU.

Only its front end runs, to Triton IR. Its errors show which statements have to be drawn differently, in ``cuda.UNLIKE``
or where a drawing function reads the device.
"""

from __future__ import annotations

import argparse
import linecache
from collections import Counter
from functools import cache
from typing import Any

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, make_backend
from triton.runtime.jit import mangle_type

from . import cuda, draw
from .judge import Buffers
from .program import Number, Program

try:
    from triton._C.libtriton import ir
except ImportError as error:
    raise SystemExit(f"fuzz.stock: no Triton: {error}") from error


@cache
def _hopper() -> tuple[Any, Any, Any]:
    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    return target, backend, backend.parse_options({})


def refusal(program: Program) -> str | None:
    """Returns the error of Triton's front end for a program, without the location; None if it accepts the program."""
    text, name = program.source(library="triton"), f"<program {program.seed}>"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, name, "exec"), names)
    signature = {key: mangle_type(value) for key, value in Buffers(program).arguments.items()}
    numbers = [argument for argument in program.arguments if isinstance(argument, Number)]
    constants = {number.name: number.value for number in numbers if number.constexpr}
    signature |= dict.fromkeys(constants, "constexpr")
    target, backend, options = _hopper()
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    source = ASTSource(names["kernel"], signature, constants)
    try:
        source.make_ir(target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context)
    except Exception as error:
        cause: BaseException = error
        while cause.__cause__ is not None:
            cause = cause.__cause__
        last = str(cause).strip().splitlines()[-1:]
        return f"{type(cause).__name__}: {''.join(last)}"
    return None


def main() -> None:
    parser = argparse.ArgumentParser(prog="fuzz.stock", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=200)
    options = parser.parse_args()
    draw.load()
    reasons: Counter[str] = Counter()
    examples: dict[str, int] = {}
    for seed in range(options.seed, options.seed + options.programs):
        message = refusal(draw.drawn(seed, device="cuda", without=cuda.UNSUPPORTED))
        if message is not None:
            reasons[message] += 1
            examples.setdefault(message, seed)
    print(f"Triton {triton.__version__} takes {options.programs - reasons.total()} of {options.programs} programs")
    for message, count in reasons.most_common():
        print(f"{count:5} {message} (program {examples[message]})")


if __name__ == "__main__":
    main()

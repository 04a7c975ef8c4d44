"""``python -m blockdsl compile``: a kernel as an object file and a C header."""

from __future__ import annotations

import argparse
import ast
import importlib.util
import re
import sys
from pathlib import Path

from blockdsl.compiler import ahead
from blockdsl.errors import LaunchError
from blockdsl.jit import JITFunction

_EXAMPLE = """example:
  python -m blockdsl compile add.py --signature "*fp32:16, *fp32:16, *fp32:16, i32, 1024" -o add.o"""


def add_to(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the command to a parser's."""
    parser = commands.add_parser(
        "compile",
        help="a kernel as an object file and a C header, which need libm and nothing of blockdsl",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("source", type=Path, help="a Python file, or a .ttir file")
    parser.add_argument("--kernel", help="the kernel's name, where the file has several")
    parser.add_argument("--signature", default="", help="for each parameter a type such as *fp32:16 or i32, or a value")
    parser.add_argument("-o", "--output", type=Path, required=True, help="the object; the header lies beside it")
    parser.add_argument("--target", default="native", help="native, or a baseline such as x86-64-v3 or aarch64")
    parser.add_argument("--may-alias", action="store_true", help="what is stored may be reached by other pointers, too")
    parser.set_defaults(run=_run)


def _run(given: argparse.Namespace) -> str:
    if given.source.suffix == ".ttir":
        if given.kernel or given.signature:
            raise LaunchError(f"the module in '{given.source}' has one kernel and its types",
                              hint="leave --kernel and --signature out")  # fmt: skip
        source: JITFunction | Path = given.source
        types: dict[str, str] = {}
        constants: dict[str, object] = {}
    else:
        source = _kernel(given.source, given.kernel)
        types, constants = _signature(source, given.signature)
    made = ahead.compile(
        source,
        types,
        constants,
        target=f"cpu:{given.target}",
        output=given.output,
        restrict=not given.may_alias,
    )
    return f"{made.path} and {made.header}: '{made.name}' and '{made.name}_programs'"


def _kernel(file: Path, name: str | None) -> JITFunction:
    """Runs a file as a module and returns its kernel."""
    sys.path.insert(0, str(file.resolve().parent))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None:
        raise LaunchError(f"'{file}' is no Python file, and no .ttir file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    # Kernels may be wrapped by @autotune or @heuristics.
    named = {each: getattr(value, "base_fn", value) for each, value in vars(module).items()}
    kernels = {each: value for each, value in named.items() if isinstance(value, JITFunction)}
    own = [each for each, value in kernels.items() if value.fn.__module__ == file.stem]
    if name is None and len(own) == 1:
        name = own[0]
    if name not in kernels:
        found = f"'{file}' has {', '.join(own) or 'no kernels'}"
        if name is None:
            raise LaunchError(f"{found}; one is expected to be named", hint="such as --kernel NAME")
        raise LaunchError(f"there is no kernel '{name}': {found}")
    return kernels[name]


_TYPE = re.compile(r"\*|[iu]\d|fp\d|bf16|tensordesc<")


def _signature(kernel: JITFunction, text: str) -> tuple[dict[str, str], dict[str, object]]:
    """Parses types and constants of a kernel's parameters, in order, in the notation of Triton's tools."""
    parts = [part.strip() for part in re.split(r",(?![^\[<]*[\]>])", text)] if text.strip() else []
    names = kernel.arg_names
    if len(parts) > len(names):
        raise LaunchError(f"kernel '{kernel.__name__}' has {len(names)} parameters, the signature {len(parts)}",
                          hint=f"they are {', '.join(names)}")  # fmt: skip
    types: dict[str, str] = {}
    constants: dict[str, object] = {}
    for name, part in zip(names, parts, strict=False):
        if _TYPE.match(part) and part.endswith(":1"):
            constants[name] = 1
        elif _TYPE.match(part):
            types[name] = part
        else:
            constants[name] = _value(name, part)
    return types, constants


def _value(name: str, part: str) -> object:
    try:
        return ast.literal_eval(part)
    except (ValueError, SyntaxError):
        raise LaunchError(
            f"for parameter '{name}' a type or a value is expected, got {part!r}",
            hint="types are such as *fp32:16, fp32, i32, tensordesc<fp16[16,64]>; values such as 1024, True, None",
        ) from None

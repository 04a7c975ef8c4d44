"""Tests of kernels in both front ends: stock Triton's and ours accept the same, with values of the same types.

Each module in ``front_end`` is imported twice, with Triton and with blockdsl under its name. docs/compatibility.md
lists programs that only ours accepts. No GPU is needed, because only Triton's front end runs.
"""

from __future__ import annotations

import functools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource, CompilationError, make_backend

import blockdsl
from blockdsl import interpreter

HERE = Path(__file__).parent / "front_end"
USUAL = {"x": "*fp32", "y": "*i32", "out": "*fp32", "n": "i32", "N": 16}
TORCH = {
    "fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64, "i1": torch.bool,
    **{f"{sign}{bits}": getattr(torch, f"{kind}{bits}")
       for sign, kind in (("i", "int"), ("u", "uint")) for bits in (8, 16, 32, 64)},
}  # fmt: skip


@functools.cache
def kernels(name: str, ours: bool) -> ModuleType:
    """Returns a module of kernels, with ``triton`` in it or with its replacement."""
    path = HERE / f"{name}.py"
    text = path.read_text()
    if ours:
        text = re.sub(r"^import triton$", "import blockdsl as triton", text, flags=re.MULTILINE)
        text = re.sub(r"^(import|from) triton\.", r"\1 blockdsl.", text, flags=re.MULTILINE)
    module = ModuleType(f"{name}_of_{'ours' if ours else 'stock'}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    exec(compile(text, str(path), "exec"), vars(module))
    return module


def cases(*, refused: bool) -> Iterator[tuple[str, str]]:
    for path in sorted(HERE.glob("*.py")):
        if path.stem.startswith("refused") is refused:
            for name in re.findall(r"^def (\w+)\([^)]*\bout\b", path.read_text(), re.MULTILINE):
                yield path.stem, name
            for name in re.findall(r"^(\w+) = \w+_make\(", path.read_text(), re.MULTILINE):
                yield path.stem, name


def types_of(module: ModuleType, name: str, kernel: Any) -> dict[str, Any]:
    """Returns each parameter of a kernel: a type's name, or a value."""
    known = {**USUAL, **getattr(module, "USUAL", {}), **getattr(module, "SIGNATURES", {}).get(name, {})}
    return {parameter: known[parameter] for parameter in kernel.arg_names}


def is_type(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"\*?k?([iu]|fp|bf)\d\w*", value) is not None


def stock_text(module: str, name: str) -> str:
    """Returns the text of Triton's front end for a kernel."""
    target = GPUTarget("cuda", 90, 32)
    backend = make_backend(target)
    options = backend.parse_options({})
    context = ir.context()
    ir.load_dialects(context)
    backend.load_dialects(context)
    kernel = getattr(kernels(module, ours=False), name)
    given = types_of(kernels(module, ours=False), name, kernel)
    signature = {key: value if is_type(value) else "constexpr" for key, value in given.items()}
    constants = {(at,): value for at, value in enumerate(given.values()) if not is_type(value)}
    source = ASTSource(kernel, signature, constants)
    made = source.make_ir(
        target, options, backend.get_codegen_implementation(options), backend.get_module_map(), context
    )
    return str(made.str_nodebug())


def our_text(module: str, name: str) -> str:
    kernel = getattr(kernels(module, ours=True), name)
    given = types_of(kernels(module, ours=True), name, kernel)
    signature = {key: value for key, value in given.items() if is_type(value)}
    constants = {key: value for key, value in given.items() if not is_type(value)}
    return str(blockdsl.compile(kernel, signature=signature, constexprs=constants).asm["ttir"])


OBSERVED = re.compile(r"\btt\.(store|atomic_\w+|print|dot|dot_scaled|descriptor_\w+)\b.* : (.*)$", re.MULTILINE)


def observed(text: str) -> list[tuple[str, str]]:
    """Returns the types of a kernel's observable values: those that it stores, prints and multiplies."""
    return sorted(OBSERVED.findall(text))


ACCEPTED = list(cases(refused=False))
REFUSED = list(cases(refused=True))
FOLDED = {"bool_values": "a condition that a name holds decides while the kernel is compiled"}
"""Kernels with fewer statements in ours."""


@pytest.mark.filterwarnings("ignore::UserWarning:triton", "ignore:Logical operators:UserWarning")
@pytest.mark.parametrize(("module", "name"), ACCEPTED)
def test_types_are_those_of_triton(module: str, name: str) -> None:
    stock, ours = observed(stock_text(module, name)), observed(our_text(module, name))
    assert (set(ours) if name in FOLDED else ours) == (set(stock) if name in FOLDED else stock)


def argument(name: str, kind: Any) -> Any:
    """Reproducible small numbers of either sign; integers are not negative."""
    if not is_type(kind):
        return kind
    if kind[0] != "*":
        return 11 if kind[0] in "iu" else 1.5
    dtype = TORCH[kind.removeprefix("*").removeprefix("k")]
    if name.startswith("out"):
        return torch.zeros(4096, dtype=dtype)
    generator = torch.Generator().manual_seed(len(name))
    if dtype.is_floating_point:
        return torch.randn(4096, generator=generator).to(dtype)
    return torch.randint(0, 2 if dtype == torch.bool else 13, (4096,), generator=generator).to(dtype)


def runs(module: str, name: str) -> bool:
    return name not in getattr(kernels(module, ours=True), "COMPILED_ONLY", ())


@pytest.mark.parametrize(("module", "name"), [case for case in ACCEPTED if runs(*case)])
def test_compiled_and_interpreted_results_match(module: str, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    found = kernels(module, ours=True)
    kernel = getattr(found, name)
    given = types_of(found, name, kernel)
    grid = getattr(found, "GRIDS", {}).get(name, (2,))
    compiled, interpreted = ({key: argument(key, kind) for key, kind in given.items()} for _ in range(2))
    kernel[grid](**compiled)
    interpreter.run(kernel.source, interpreted, grid)
    for key, value in compiled.items():
        if isinstance(value, torch.Tensor):
            other = interpreted[key]
            wide = (value.double(), other.double()) if value.dtype.is_floating_point else (value, other)
            torch.testing.assert_close(*wide, rtol=1e-3, atol=1e-4, equal_nan=True)
    capfd.readouterr()  # the kernels' output


@pytest.mark.parametrize(("module", "name"), REFUSED)
def test_refuses_programs_refused_by_triton(module: str, name: str) -> None:
    with pytest.raises(CompilationError):
        stock_text(module, name)
    with pytest.raises(blockdsl.errors.BlockdslError) as ours:
        our_text(module, name)
    assert ours.value.location is not None


def test_every_kernel_is_compared() -> None:
    for path in HERE.glob("*.py"):
        found = vars(kernels(path.stem, ours=True))
        entries = {name for name, value in found.items()
                   if isinstance(value, blockdsl.JITFunction) and "out" in value.arg_names}  # fmt: skip
        assert entries == {name for module, name in (*ACCEPTED, *REFUSED) if module == path.stem}
        assert len(entries) > 5


def test_the_versions_are_the_same() -> None:
    assert triton.__version__.startswith("3.9")

"""Kernels that torch's Inductor generated, as Triton 3.9 printed them: each has to give the oracle's values.

A case passes when the module lowers, its LLVM IR calls no heap function, it compiles, and every buffer has the oracle's
contents, for two sets of arguments (see ``oracle.draw_for``); elements that neither wrote have to be unchanged.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from conformance import oracle
from conformance.guard import GuardedBuffer
from conformance.pool import Lost, run_cases
from conformance.verdict import Verdict, failed, passed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

SUITE = "inductor: compiles, runs, equals the oracle"
HEAP = re.compile(r"@(malloc|free|calloc|realloc|aligned_alloc|posix_memalign|memrefCopy|_mlir_\w+)\b")

RELATIVE = {"f64": 1e-10, "f32": 2e-4, "f16": 2e-3, "bf16": 1.6e-2}
"""Relative to the larger of the value and a hundredth of the buffer's largest: sums are taken in another order."""

CANCELLED = {"triton_unk_fused_mean_sub_sum_0": 0.05}
"""Modules whose exact results are zero: the permitted errors of f32 sums of 65536 elements."""

EIGHT_BIT_FLOAT = 0.13
"""The oracle keeps 8-bit floats in 32 bits; the module rounds, by at most an eighth (two mantissa bits)."""


def modules(directory: Path) -> list[Path]:
    return sorted((directory / "inductor" / "ttir").glob("*.ttir"))


def run(directory: Path, jobs: int, chosen: str = "") -> Iterator[Verdict]:
    cases = [path for path in modules(directory) if chosen in path.name]
    for number, result in run_cases(check, cases, jobs, limit=120):
        name = cases[number].stem
        yield failed(SUITE, name, str(result)) if isinstance(result, Lost) else result


def check(path: Path) -> Verdict:
    """Compiles one module and compares it; the exception's first line is the cause of a failure."""
    import blockdsl

    start, start_cpu = time.perf_counter(), time.process_time()
    try:
        kernel = blockdsl.compile(path)
    except blockdsl.errors.BlockdslError as error:
        return failed(SUITE, path.stem, f"does not compile: {first_line(error)}", time.perf_counter() - start)
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    heap = HEAP.search(kernel.asm["llir"])
    if heap:
        return failed(SUITE, path.stem, f"calls {heap.group(1)}", seconds)
    text, evaluator = path.read_text(), load_oracle(path)
    compared = []
    for flavour in ("small", "wide"):
        try:
            case = oracle.evaluate(evaluator, text, flavour)
        except oracle.ImplausibleArguments:
            continue
        try:
            difference = launch_and_compare(kernel, case, Tolerance.of(path))
        except blockdsl.errors.BlockdslError as error:
            return failed(SUITE, path.stem, f"does not run: {first_line(error)}", seconds, flavour=flavour)
        if difference:
            return failed(SUITE, path.stem, f"differs: {difference}", seconds, flavour=flavour, grid=case.grid)
        compared.append(flavour)
    if not compared:
        return failed(SUITE, path.stem, "no plausible arguments were found", seconds)
    return passed(SUITE, path.stem, seconds, compared=compared, cpu=cpu)


def load_oracle(path: Path) -> ModuleType:
    return oracle.load_evaluator(path.parents[2])


def first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:160]


@dataclass(frozen=True)
class Tolerance:
    """Permitted differences: relative by element type, and absolute."""

    relative: dict[str, float]
    absolute: float = 0.0

    @staticmethod
    def of(path: Path) -> Tolerance:
        relative = dict.fromkeys(RELATIVE, EIGHT_BIT_FLOAT) if "xf8E" in path.read_text() else RELATIVE
        return Tolerance(relative, CANCELLED.get(path.stem, 0.0))


def launch_and_compare(kernel: Any, case: oracle.Case, tolerance: Tolerance) -> str:
    """Launches on copies of the case's initial buffers; returns the difference, if any."""
    guarded: dict[int, GuardedBuffer] = {}
    arguments: list[Any] = []
    for number, argument in enumerate(case.arguments):
        if isinstance(argument, oracle.Buffer):
            guarded[number] = GuardedBuffer(argument.start[: argument.extent])
            arguments.append(guarded[number].tensor(torch_type(argument.element)))
        else:
            arguments.append(argument)
    kernel[case.grid](*arguments)
    for number, buffer in guarded.items():
        expected = case.arguments[number]
        assert isinstance(expected, oracle.Buffer)
        if not buffer.intact:
            return f"argument {number}: bytes beside the buffer were written"
        if expected.is_workspace:
            continue
        difference = compare(buffer.contents, expected, tolerance)
        if difference:
            return f"argument {number}: {difference}"
    return ""


def torch_type(element: str) -> Any:
    import torch

    names = {"i1": "bool", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
    names |= {"f8E5M2": "float8_e5m2", "f8E4M3FN": "float8_e4m3fn"}
    return getattr(torch, names.get(element, f"int{element[1:]}"))


def compare(actual: oracle.Array, buffer: oracle.Buffer, tolerance: Tolerance) -> str:
    """Returns the first element that differs by more than its type allows; unwritten elements have to be unchanged."""
    count = buffer.extent // buffer.item_size
    expected = buffer.now[: buffer.extent]
    untouched = np.repeat(buffer.writer[:count] < 0, buffer.item_size)
    if (actual[untouched] != expected[untouched]).any():
        index = int(np.nonzero(untouched & (actual != expected))[0][0]) // buffer.item_size
        return f"element {index} was written, though no program writes it"
    if buffer.element.startswith("i"):
        wide = f"int{max(8, int(buffer.element[1:]))}"
        actual_values, expected_values = actual.view(wide), expected.view(wide)
        wrong = actual_values != expected_values
    else:
        actual_values, expected_values = as_float64(actual, buffer.element), as_float64(expected, buffer.element)
        wrong = beyond(actual_values, expected_values, tolerance.relative[buffer.element], tolerance.absolute)
    if not wrong.any():
        return ""
    index = int(np.nonzero(wrong)[0][0])
    values = f"{actual_values[index]}, not {expected_values[index]}"
    return f"element {index} is {values} ({int(wrong.sum())} of {count} differ)"


def beyond(actual: oracle.Array, expected: oracle.Array, relative: float, absolute: float) -> oracle.Array:
    finite = np.abs(expected[np.isfinite(expected)])
    floor = 1e-2 * float(finite.max()) if len(finite) else 0.0
    with np.errstate(invalid="ignore"):
        is_beyond = np.abs(actual - expected) > absolute + relative * np.maximum(np.abs(expected), floor)
    both_nan = np.isnan(actual) & np.isnan(expected)
    not_finite = ~(np.isfinite(actual) & np.isfinite(expected))
    result: oracle.Array = np.where(not_finite, (actual != expected) & ~both_nan, is_beyond)
    return result


def as_float64(raw: oracle.Array, element: str) -> oracle.Array:
    if element.startswith("f8"):
        return oracle.float8(element, raw).astype(np.float64)
    if element == "bf16":
        return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return raw.view(f"float{element[1:]}").astype(np.float64)

"""The same kernels as Inductor wrote them: imported unchanged, through stock Triton and our back end in it.

A case passes when the kernel's first configuration compiles and every buffer has the oracle's contents. The oracle
reads the same module after Triton's own passes, which our compilation does not run.
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance import oracle
from conformance.pool import Lost, run_cases
from conformance.suites import inductor
from conformance.verdict import Verdict, failed, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Iterator

SUITE = "inductor's kernels: stock Triton, our back end, equals the oracle"

WAITING = ("cooperative", "split_scan", "cumsum")
"""Kernels whose programs wait for each other; the oracle runs programs one after the other."""


IMPLAUSIBLE = {
    "dyn_softmax__triton_red_fused__softmax_0": "compiles; with the numbers that are drawn its rows lie in one another",
}


def run(directory: Path, jobs: int, chosen: str = "") -> Iterator[Verdict]:
    cases = [path for path in sorted((directory / "inductor" / "kernels").glob("*.py")) if chosen in path.name]
    for number, result in run_cases(check, cases, jobs, limit=180):
        name = cases[number].stem
        yield failed(SUITE, name, str(result)) if isinstance(result, Lost) else result


def check(path: Path) -> Verdict:
    """Compiles and compares one kernel."""
    import blockdsl

    start = time.perf_counter()
    try:
        kernel = compiled(path)
        text = after_tritons_passes(kernel.asm["ttir"])
    except Exception as error:
        return failed(SUITE, path.stem, f"does not compile: {inductor.first_line(error)}", time.perf_counter() - start)
    seconds = time.perf_counter() - start
    if path.stem in IMPLAUSIBLE:
        return skipped(SUITE, path.stem, IMPLAUSIBLE[path.stem])
    evaluator = oracle.load_evaluator(path.parents[2])
    compared = []
    for flavour in ("small", "wide"):
        try:
            case = oracle.evaluate(evaluator, text, flavour)
        except oracle.ImplausibleArguments:
            continue
        try:
            difference = inductor.launch_and_compare(kernel.function, case, tolerance(path, text))
        except blockdsl.errors.BlockdslError as error:
            return failed(SUITE, path.stem, f"does not run: {inductor.first_line(error)}", seconds, flavour=flavour)
        if difference:
            return failed(SUITE, path.stem, f"differs: {difference}", seconds, flavour=flavour, grid=case.grid)
        compared.append(flavour)
    if compared:
        return passed(SUITE, path.stem, seconds, compared=compared)
    if any(word in path.stem for word in WAITING):
        return skipped(SUITE, path.stem, "compiles; the oracle cannot run programs that wait")
    return failed(SUITE, path.stem, "no plausible arguments were found", seconds)


def compiled(path: Path) -> Any:
    """Returns stock Triton's kernel for the first configuration, loaded."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tuner,) = (value for value in vars(module).values() if isinstance(value, CachingAutotuner))
    kernel = tuner._precompile_config(tuner.configs[0]).kernel
    kernel._init_handles()
    return kernel


def after_tritons_passes(text: str) -> str:
    """Returns the module after Triton's first stage for a GPU: inlined and canonical."""
    from triton._C.libtriton import ir, passes

    context = ir.context()
    ir.load_dialects(context)
    with tempfile.NamedTemporaryFile("w", suffix=".ttir") as file:
        file.write(text)
        file.flush()
        module = ir.parse_mlir_module(file.name, context)
    module.context = context
    manager = ir.pass_manager(context)
    for add in (
        passes.common.add_inliner,
        passes.ttir.add_rewrite_tensor_descriptor_to_pointer,
        passes.common.add_canonicalizer,
        passes.ttir.add_combine,
        passes.common.add_cse,
        passes.common.add_symbol_dce,
    ):
        add(manager)
    manager.run(module, "make_ttir")
    return str(module.str_nodebug())


def tolerance(path: Path, text: str) -> inductor.Tolerance:
    relative = dict.fromkeys(inductor.RELATIVE, inductor.EIGHT_BIT_FLOAT) if "xf8E" in text else inductor.RELATIVE
    cancelled = [bound for name, bound in inductor.CANCELLED.items() if name in path.stem]
    return inductor.Tolerance(relative, max(cancelled, default=0.0))

"""The corpus kernels, written for Triton, through our front end: the same types and ops in the same order.

``corpus_kernels.py`` is imported unchanged, with blockdsl under Triton's name. Names, locations, attributes, positions
of constants and unused ops are left out of the comparison.
"""

from __future__ import annotations

import importlib.util
import itertools
import re
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.pool import Lost, run_cases
from conformance.verdict import Verdict, failed, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Iterator

Attributes = dict[tuple[int, ...], list[list[object]]]

SUITE = "corpus: our front end builds Triton's ops"
DIFFERENT = {
    "atomic": "the bits of a float are taken where they are used",
    "cf": "no ops for an overflow check that is off",
    "desc": "a descriptor's extents are converted before it is made",
    "mm": "keyword arguments are evaluated last",
    "new39": "squeeze and unsqueeze are ops, expect_zero selects, and sort is its own",
    "rand": "sums and products of philox stand in another order",
    "reduce": "positions of the largest pass over NaN",
    "sort": "sort and topk are their own",
}
"""Kernels whose ops or order differ from Triton's, as docs/compatibility.md explains."""


def load_corpus(directory: Path) -> dict[str, Any]:
    import blockdsl
    import blockdsl.language

    stand_in = types.ModuleType("triton")
    vars(stand_in).update(vars(blockdsl))
    stand_in.__version__ = "3.9.0"  # type: ignore[attr-defined]
    stand_in.language = blockdsl.language  # type: ignore[attr-defined]
    stand_ins = {
        "triton": stand_in,
        "triton.language": blockdsl.language,
        "triton.language.extra": blockdsl.language.extra,
        "triton.language.extra.libdevice": blockdsl.language.extra.libdevice,
    }
    replaced = {name: sys.modules.get(name) for name in stand_ins}
    sys.modules.update(stand_ins)
    try:
        spec = importlib.util.spec_from_file_location("corpus_kernels", directory / "corpus_kernels.py")
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for name, original in replaced.items():
            if original is None:
                del sys.modules[name]
            else:
                sys.modules[name] = original
    return dict(module.K)


def ops(text: str) -> list[str]:
    """Returns op names with their types, in order, without constants and unused ops."""
    lines = [re.sub(r" loc\(.*\)$", "", line.strip()) for line in text.splitlines()]
    # Names are those of one function.
    starts = [number for number, line in enumerate(lines) if line.startswith("tt.func")]
    functions = [lines[start:end] for start, end in itertools.pairwise([*starts, len(lines)])]
    lines_of_ops = []
    for line in itertools.chain.from_iterable(map(without_dead, functions)):
        match = re.match(r'(?:%[\w:#, %]+ = )?"?((?:tt|arith|math|scf)\.[\w.]+)"?', line)
        if not match or match.group(1) in ("arith.constant", "tt.func", "tt.return"):
            continue
        if re.search(r"arith\.bitcast .* : (\w+) to \1$", line):
            continue  # the rest of a constant whose sign changed
        kind = re.sub(r"\{[^}]*\}", "", line)
        lines_of_ops.append(f"{match.group(1)} : {kind.rsplit(' : ', 1)[1] if ' : ' in kind else ''}".strip())
    return lines_of_ops


def without_dead(lines: list[str]) -> list[str]:
    """Drops ops without effects whose result is unused: Triton's front end leaves the sums of its overflow check."""
    while True:
        used = {name for line in lines for name in re.findall(r"%[\w-]+", line.partition(" = ")[2] or line)}
        live = [line for line in lines if not dead(line, used)]
        if len(live) == len(lines):
            return live
        lines = live


def dead(line: str, used: set[str]) -> bool:
    match = re.match(r"(%[\w-]+) = (arith|math|tt\.(splat|make_range|get_|expand|broadcast|addptr))", line)
    return bool(match) and match.group(1) not in used  # type: ignore[union-attr]


def run(directory: Path, jobs: int, chosen: str = "") -> Iterator[Verdict]:
    names = sorted({path.name.removesuffix(".raw.ttir") for path in (directory / "ttir" / "3.9").glob("*.raw.ttir")})
    cases = [(directory, name) for name in names if chosen in name]
    for number, result in run_cases(check_by_name, cases, jobs, limit=60):
        yield failed(SUITE, cases[number][1], str(result)) if isinstance(result, Lost) else result


def check_by_name(case: tuple[Path, str]) -> Verdict:
    directory, name = case
    try:
        kernel, signature, constants, attributes = load_corpus(directory)[f"k_{name}"]
    except Exception as error:  # an import of foreign code may fail with anything
        return failed(SUITE, name, f"corpus_kernels.py cannot be imported: {error}"[:160])
    raw = directory / "ttir" / "3.9" / f"{name}.raw.ttir"
    return check(name, kernel, signature, constants, attributes, raw.read_text())


def check(
    name: str, kernel: Any, signature: dict[str, str], constants: dict[str, object], attributes: Attributes, raw: str
) -> Verdict:
    reason = DIFFERENT.get(name, "")
    try:
        our_ops = ops(build(kernel, signature, constants, attributes))
    except Exception as error:  # the cause goes into the table, of whatever type
        cause = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:160]
        return skipped(SUITE, name, reason) if reason else failed(SUITE, name, cause)
    their_ops = ops(raw)
    if our_ops == their_ops:
        return passed(SUITE, name)
    pairs = itertools.zip_longest(our_ops, their_ops, fillvalue="the end")
    index, (our_op, their_op) = next((index, pair) for index, pair in enumerate(pairs) if pair[0] != pair[1])
    cause = f"op {index} is '{our_op}', not '{their_op}'"[:200]
    return skipped(SUITE, name, reason) if reason else failed(SUITE, name, cause)


def build(kernel: Any, signature: dict[str, str], constants: dict[str, object], attributes: Attributes) -> str:
    """Returns the text of our front end's module."""
    from blockdsl.frontend import Specialization, build_module
    from blockdsl.mlir.ir import Context

    names = list(signature)
    divisible = {names[path[0]]: 16 for path, hints in attributes.items() if ["tt.divisibility", 16] in hints}
    runtime = {key: kind for key, kind in signature.items() if kind != "constexpr"}
    return str(build_module(kernel.source, Specialization(runtime, constants, divisible), Context()))

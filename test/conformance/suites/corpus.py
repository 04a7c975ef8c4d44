"""The corpus kernels, written for Triton, through our front end: the same types and ops in the same order.

``corpus_kernels.py`` is imported as it stands, with blockdsl under Triton's name. Names, locations, attributes and the
places of constants are left out of the comparison; what Triton calls out of line and we write in place is, too.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.suites.ttir import later
from conformance.verdict import Verdict, failed, passed, skipped

if TYPE_CHECKING:
    from collections.abc import Iterator

SUITE = "corpus: our front end builds Triton's ops"
LATER = {
    "sort": "sort, topk, histogram and gather come later",
    "rand": "random numbers come later",
    "map": "map_elementwise comes later",
    "cf": "functions that are called out of line come later",
}


def load_corpus(directory: Path) -> dict[str, Any]:
    import blockdsl
    import blockdsl.language

    stand_in = types.ModuleType("triton")
    vars(stand_in).update(vars(blockdsl))
    stand_in.__version__ = "3.9.0"  # type: ignore[attr-defined]
    stand_in.language = blockdsl.language  # type: ignore[attr-defined]
    sys.modules["triton"], sys.modules["triton.language"] = stand_in, blockdsl.language
    try:
        spec = importlib.util.spec_from_file_location("corpus_kernels", directory / "corpus_kernels.py")
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        del sys.modules["triton"], sys.modules["triton.language"]
    return dict(module.K)


def ops(text: str) -> list[str]:
    """Op names with their types, in order, without constants."""
    found = []
    for line in text.splitlines():
        line = re.sub(r" loc\(.*\)$", "", line.strip())
        match = re.match(r'(?:%[\w:#, %]+ = )?"?((?:tt|arith|math|scf)\.[\w.]+)"?', line)
        if not match or match.group(1) in ("arith.constant", "tt.func", "tt.return"):
            continue
        kind = re.sub(r"\{[^}]*\}", "", line)
        found.append(f"{match.group(1)} : {kind.rsplit(' : ', 1)[1] if ' : ' in kind else ''}".strip())
    return found


def run(directory: Path, chosen: str = "") -> Iterator[Verdict]:
    try:
        kernels = load_corpus(directory)
    except Exception as error:  # an import of foreign code may fail with anything
        yield failed(SUITE, "corpus_kernels.py", f"cannot be imported: {error}"[:160])
        return
    for name, (kernel, signature, constants, _) in kernels.items():
        short = name.removeprefix("k_")
        if chosen in name:
            raw = directory / "ttir" / "3.9" / f"{short}.raw.ttir"
            yield check(short, kernel, signature, constants, raw.read_text())


def check(name: str, kernel: Any, signature: dict[str, str], constants: dict[str, object], raw: str) -> Verdict:
    import blockdsl

    reason = later(raw) or LATER.get(name, "")
    runtime = {key: kind for key, kind in signature.items() if kind != "constexpr"}
    try:
        ours = ops(blockdsl.compile(kernel, signature=runtime, constexprs=constants).asm["ttir"])
    except Exception as error:  # the cause goes into the table, whatever it is
        cause = f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"[:160]
        return skipped(SUITE, name, reason) if reason else failed(SUITE, name, cause)
    theirs = ops(raw)
    if ours == theirs:
        return passed(SUITE, name)
    place = next((n for n, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    pair = [found[place] if place < len(found) else "the end" for found in (ours, theirs)]
    cause = f"op {place} is '{pair[0]}', not '{pair[1]}'"[:200]
    return skipped(SUITE, name, reason) if reason else failed(SUITE, name, cause)

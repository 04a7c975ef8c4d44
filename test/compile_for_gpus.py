"""Compiles kernels for a GPU, with the Triton on the path; no GPU is needed.

    pytest test/python --keep-kernels build/kernels
    PYTHONPATH=test python -m compile_for_gpus build/kernels --all

The kept kernels are compiled with the default options for Hopper, and once more with assertions if they have some. A
kernel of the list below has to fail, for its reason and with Triton alone too; no other may fail. Left out are matmuls
of blocks that exceed a GPU's shared memory; kernels with features that no GPU of NVIDIA's, or not every Triton, has;
and long kernels that show the growth of our compile time: Triton 3.9 took more than seven minutes for one of them.
"""

from __future__ import annotations

import argparse
import ast
import concurrent.futures
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import blockdsl
from blockdsl.backends import nvidia
from blockdsl.errors import BlockdslError, CompilationError

ROOT = Path(__file__).resolve().parent.parent
CAPABILITY = "90"
SHARED_MEMORY = 227 * 1024
"""Bytes of shared memory for a block of threads."""
LONGEST = 250_000
"""The longest text that is compiled, in bytes; almost all have less than 100,000."""

_HINTS = "Modifier '.evict_last' cannot be combined with modifier '.cg'"
REFUSED = {
    # The assembler accepts no eviction policy together with these cache modifiers, in Triton as here.
    "hinted": _HINTS,
    "hinted_in_a_callee": _HINTS,
    "test_cache_hints": _HINTS,
    "twice_hinted": _HINTS,
    "load_forms": "Modifier '.evict_first' cannot be combined with modifier '.ca'",
    # A thread has fewer elements of these blocks than the function takes.
    "sorted_rows": "pack size must be a divisor of the number of elements per thread",
    # Triton's own passes take no loop in a function that combines.
    "combined_with_a_loop": "expects region #0 to have 0 or 1 blocks",
    "turns_in_functions": "expects region #0 to have 0 or 1 blocks",
}


# Parts of a text that Triton up to a given version compiles sometimes or never for these GPUs.
_UNSUPPORTED = [
    (re.compile(r"f8E\dM\dFNUZ"), "9.9"),
    (re.compile(r"arith\.(cmpf|addf|subf|mulf|divf) .*f8E"), "9.9"),
    (re.compile(r"tt\.histogram .*: tensor<\d+xi(8|16|64)>"), "9.9"),
    # Assembly of GPUs after Hopper.
    (re.compile(r"\.(e2m1|e2m3|e3m2|ue8m0)x[24]|cvt\.rs\b|\.f32x2|x2\.bf16x2"), "9.9"),
    # Packed registers with immediates crash it.
    (re.compile(r'constraints = "=r,=r,r,r,n,n"'), "3.6"),
    (re.compile(r"tt\.dot_scaled"), "3.8"),
    (re.compile(r"tt\.(atomic_(load|store|poll)|approx_divf)"), "3.8"),
]


def is_supported(path: Path, version: str) -> bool:
    """Returns true if a Triton supports all that a kernel needs."""
    return _has_all_of(path.read_text(), version)


def is_expected(error: BlockdslError, version: str) -> bool:
    """Returns true if a kernel is not compiled for a GPU, because that Triton lacks or refuses a part of it."""
    if re.search(r"expects Triton [\d.]+, got", str(error)) or any(reason in str(error) for reason in REFUSED.values()):
        return True
    dump = error.dump if isinstance(error, CompilationError) else None
    return dump is not None and not _has_all_of(Path(dump).read_text(), version)


def _has_all_of(text: str, version: str) -> bool:
    numbers = tuple(map(int, version.split(".")[:2]))
    unsupported = [pattern for pattern, last in _UNSUPPORTED if numbers <= tuple(map(int, last.split(".")))]
    return not any(pattern.search(text) for pattern in unsupported)


def failure(path: Path) -> str | None:
    """Returns the error of a kernel, if any."""
    reason = REFUSED.get(_name(path))
    try:
        blockdsl.compile(path, target=f"cuda:{CAPABILITY}")
        if "tt.assert" in path.read_text():
            blockdsl.compile(path, target=f"cuda:{CAPABILITY}", debug=True)
    except BlockdslError as error:
        if reason is None or reason not in str(error):
            return str(error)
        return _not_by_triton(error, reason)
    return None if reason is None else f"expected to fail: {reason}"


_PRODUCT = re.compile(r"tt\.dot .*: tensor<([\dx]+)x[a-z]+(\d+)\w*> \* tensor<([\dx]+)x[a-z]+(\d+)\w*>")


def is_for_cpus(path: Path) -> bool:
    """Returns true if the operands of one of a kernel's matmuls together exceed any GPU's shared memory."""

    def size(extents: str, bits: str) -> int:
        return math.prod(map(int, extents.split("x"))) * int(bits) // 8

    products = _PRODUCT.findall(path.read_text())
    return any(size(*dot[:2]) + size(*dot[2:]) > SHARED_MEMORY for dot in products)


def _name(path: Path) -> str:
    return path.name.rpartition("-")[0]


def _not_by_triton(error: BlockdslError, reason: str) -> str | None:
    """Returns None if Triton alone refuses the text for the same reason."""
    if not isinstance(error, CompilationError) or error.dump is None:
        return f"expected Triton to refuse it, got {error}"
    dump = Path(error.dump)
    # Triton leaves that file behind if the assembler refuses its input.
    with tempfile.TemporaryDirectory() as directory:
        result = subprocess.run(
            [sys.executable, "-m", "compile_with_triton", str(dump), CAPABILITY],
            env={**os.environ, "TRITON_CACHE_DIR": directory, "TMPDIR": directory}, capture_output=True, text=True,
        )  # fmt: skip
    shutil.rmtree(dump.parent)
    if result.returncode != 0 and reason in result.stdout + result.stderr:
        return None
    return f"expected Triton alone to fail: {reason}, got exit status {result.returncode} and {result.stderr[-2000:]}"


def missing(paths: Sequence[Path]) -> list[str]:
    """Returns names that are listed here, in the examples or in the benchmarks, but are not among the kernels."""
    functions = re.compile(r"tt\.func (?:public|private) @\"?([^(\"]+)")
    present = {_plain(name) for path in paths for name in functions.findall(path.read_text())}
    sources = [*sorted((ROOT / "examples").glob("*.py")), ROOT / "benchmarks" / "cuda" / "kernels.py"]
    expected = [f"{source.relative_to(ROOT)}: {name}" for source in sources for name in _kernels(source)]
    expected += [f"the list of what is refused: {name}" for name in REFUSED]
    return [entry for entry in expected if entry.rpartition(" ")[2] not in present]


def _plain(name: str) -> str:
    """Returns a function's own name. A called function is named with its module and types: ``a.b.name__fp32_i32``."""
    return name.removeprefix("__main__.").partition("__")[0].rpartition(".")[2]


def _kernels(source: Path) -> Iterator[str]:
    for node in ast.parse(source.read_text()).body:
        if isinstance(node, ast.FunctionDef) and any("jit" in ast.unparse(item) for item in node.decorator_list):
            yield node.name


def failures(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Returns the unexpected kernels with reasons.

    Large ones run first, so that no thread is left alone with one at the end.
    """
    paths = sorted(paths, key=lambda path: path.stat().st_size, reverse=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for path, wrong in zip(paths, pool.map(failure, paths), strict=True):
            if wrong is not None:
                yield path, wrong


def main() -> int:
    """Prints the failures, and the number of successes."""
    parser = argparse.ArgumentParser(description="Compiles the .ttir files of a directory for GPUs.")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--all", action="store_true", help="the directory has to hold all kernels that are named")
    options = parser.parse_args()
    kernels = sorted(options.directory.glob("*.ttir"))
    version = nvidia.toolchain().version
    short_kernels = [path for path in kernels if path.stat().st_size <= LONGEST]
    fitting = [path for path in short_kernels if not is_for_cpus(path)]
    paths = [path for path in fitting if is_supported(path, version)]
    os.environ["BLOCKDSL_CACHE"] = "0"
    start, wrong = time.monotonic(), 0
    for path, message in failures(paths):
        wrong += 1
        print(f"{path.name}: {message}\n", flush=True)
    missing_names = missing(fitting) if options.all else []
    for name in missing_names:
        print(f"not among the kernels: {name}\n")
    seconds = time.monotonic() - start
    print(f"Triton {version}: {len(paths) - wrong} of {len(paths)} kernels are as expected, in {seconds:.0f} s")
    print(f"Left out: {len(kernels) - len(short_kernels)} of more than {LONGEST} bytes")
    print(f"Left out: {len(short_kernels) - len(fitting)} with products of blocks that only CPUs hold")
    print(f"Left out: {len(fitting) - len(paths)} with what this Triton does not compile for such a GPU")
    return 1 if wrong or missing_names or not paths else 0


if __name__ == "__main__":
    raise SystemExit(main())

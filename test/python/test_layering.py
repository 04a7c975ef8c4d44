"""Tests of imports and includes against the tables of permitted ones.

A room is a directory or a file of the package (Python) or of lib/ with its mirror in include/ (C++). Both tables list
the rooms of the project that a room may use; all may use ``errors``, ``forks``, ``knobs`` and ``tracebacks``, and only
the autotuner and ``runtime`` may use ``testing``, to measure time.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from blockdsl.compiler.compiled_kernel import COMPILING

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "blockdsl"

PYTHON = {
    "errors": set(),
    "forks": set(),
    "knobs": set(),
    "parsing": set(),
    "tracebacks": set(),
    "tracing": set(),
    "language": set(),
    "frontend": {"language", "mlir", "_native"},
    "semantics_rewriter": {"language"},
    "interpreter": {"language", "semantics_rewriter", "frontend"},
    "tools": set(),
    "mlir": {"_native"},
    "backends": {"_native", "_runtime", "mlir", "language"},
    "compiler": {"frontend", "backends", "mlir", "language", "_native", "_runtime"},
    "launcher": {"compiler", "frontend", "backends", "language", "_runtime"},
    "interpreted": {"launcher", "compiler", "interpreter", "frontend", "language", "tracing", "_runtime"},
    "jit": {"interpreted", "launcher", "compiler", "frontend", "language", "tracing", "_native", "_runtime"},
    "commands": {"compiler", "jit", "_runtime"},
    "__main__": {"commands"},
    "autotuner": {"jit", "interpreted", "launcher", "compiler", "language", "testing", "tracing", "_runtime"},
    "runtime": {"jit", "interpreted", "autotuner", "backends", "launcher", "compiler", "language", "testing"},
    "triton": {"backends", "launcher", "compiler", "frontend", "mlir", "language", "_runtime"},
    "torch_compile": {"triton", "launcher", "compiler", "frontend", "language", "tools", "tracing", "_runtime"},
    "testing": {"jit", "compiler", "language", "frontend", "mlir", "interpreter", "_native", "_runtime"},
    "__init__": {
        "runtime", "backends", "tools", "jit", "autotuner", "compiler", "launcher", "language", "frontend",
        "interpreter", "testing", "torch_compile", "triton",
    },
}  # fmt: skip
"""Narrower rules for ``frontend``, ``mlir`` and ``backends`` are below."""

PLUGINS = {"torch_compile", "triton"}
"""They register themselves; only the package, which imports them, and each other may import them."""

EVERYBODY = {"errors", "forks", "knobs", "parsing", "tracebacks"}

CPLUSPLUS = {
    "Dialect/CPU/IR": set(),
    "Dialect/CPU/Transforms": {"Dialect/CPU/IR", "Dialect/TT/IR", "Analysis", "Plan"},
    "Dialect/TT/IR": set(),
    "Dialect/TT/Transforms": {"Dialect/TT/IR", "Analysis"},
    "Analysis": {"Dialect/CPU/IR", "Dialect/TT/IR", "Runtime"},
    "Plan": {"Dialect/CPU/IR", "Dialect/TT/IR", "Analysis"},
    "Conversion": {"Dialect/CPU/IR", "Dialect/TT/IR", "Dialect/TT/Transforms", "Analysis", "Plan"},
    "Pipelines": {
        "Dialect/CPU/IR",
        "Dialect/CPU/Transforms",
        "Dialect/TT/IR",
        "Dialect/TT/Transforms",
        "Analysis",
        "Conversion",
    },
    "Runtime": set(),
    "Tools": {"Pipelines", "Dialect/TT/IR"},
    "Bindings": {"Tools", "Pipelines", "Dialect/TT/IR", "Runtime"},
    "tools": {"Tools", "Pipelines", "Dialect/TT/IR"},
}

"""``Analysis`` includes only AccessCode.h of ``Runtime``: a format that one writes and the other reads."""


def python_room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py").removesuffix(".pyi")


def imported_modules(path: Path) -> Iterator[tuple[int, str]]:
    """Yields the full dotted names of a module's imports, with relative imports resolved."""
    here = ["blockdsl", *path.relative_to(PACKAGE).with_suffix("").parts]
    here = here[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) - node.level + 1] if node.level else []
            name = ".".join([*base, *([node.module] if node.module else [])])
            if name == "blockdsl":
                yield from ((node.lineno, f"blockdsl.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, name


def python_files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def foreign_imports(path: Path) -> Iterator[str]:
    """Yields the imports of one module that the table does not permit."""
    directory = python_room(path)
    if directory not in PYTHON:
        yield f"{directory} is a new room: say in the table what it may import"
        return
    for line, name in imported_modules(path):
        parts = name.split(".")
        if parts[0] != "blockdsl" or len(parts) == 1:
            continue
        if parts[1] != directory and parts[1] not in PYTHON[directory] | EVERYBODY:
            yield f"{path.relative_to(ROOT)}:{line}: {directory} imports {name}"


def test_python_packages_import_only_permitted_modules() -> None:
    wrong = [complaint for path in python_files() for complaint in foreign_imports(path)]
    assert not wrong, "\n".join(wrong)


def test_only_the_package_knows_plugins() -> None:
    wrong = [
        directory
        for directory, allowed in PYTHON.items()
        if directory not in {"__init__", *PLUGINS} and allowed & PLUGINS
    ]
    assert not wrong
    for name in ("jit.py", "interpreted.py", "tracing.py"):
        assert not re.search("torch_compile|blockdsl.triton", (PACKAGE / name).read_text()), name


def test_front_end_uses_cpp_through_one_module() -> None:
    doors = {
        path.name
        for path in (PACKAGE / "frontend").rglob("*.py")
        for _, name in imported_modules(path)
        if name.startswith("blockdsl._native")
    }
    assert doors <= {"emitter.py"}


def test_third_party_compilers_are_imported_by_backends_and_plugins_only() -> None:
    heavy = {"llvmlite", "triton", "torch"}
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: imports {name}"
        for path in python_files()
        for line, name in imported_modules(path)
        if name.split(".")[0] in heavy and python_room(path) not in ("backends", "testing", "triton", "torch_compile")
    ]
    assert not wrong, "\n".join(wrong)


def test_the_environment_is_read_in_knobs_only() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in python_files()
        if python_room(path) != "knobs" and re.search(r"\bos\.(environ|getenv)\b", path.read_text())
    ]
    assert not wrong, f"these read environment variables: {wrong}"


def cplusplus_files() -> list[Path]:
    directories = [ROOT / "lib", ROOT / "include" / "blockdsl", ROOT / "tools"]
    return sorted(path for index in directories for path in index.rglob("*") if path.suffix in (".cpp", ".h"))


def cplusplus_room(path: str) -> str:
    """Returns the longest entry of the table that contains the path (below lib/, include/blockdsl/ or the root)."""
    fitting = [directory for directory in CPLUSPLUS if path == directory or path.startswith(directory + "/")]
    return max(fitting, key=len, default="")


def conversion(path: str) -> str:
    """Returns the conversion of a file; headers that all conversions share have none."""
    parts = path.split("/")
    return parts[1] if parts[0] == "Conversion" and len(parts) > 2 else ""


def place_of(path: Path) -> str:
    relative = path.relative_to(ROOT).as_posix()
    return relative.removeprefix("lib/").removeprefix("include/blockdsl/")


def foreign_includes(path: Path) -> Iterator[str]:
    """Yields the includes of one file that the table does not permit."""
    index = place_of(path)
    directory = cplusplus_room(index)
    if not directory:
        yield f"{index} is in no room of the table"
        return
    for number, line in enumerate(path.read_text().splitlines(), 1):
        include = re.match(r'\s*#\s*include\s+"blockdsl/([^"]+)"', line)
        if not include:
            continue
        other = cplusplus_room(include.group(1))
        foreign = conversion(index) and conversion(include.group(1)) not in ("", conversion(index))
        if (other != directory and other not in CPLUSPLUS[directory]) or foreign:
            yield f"{path.relative_to(ROOT)}:{number}: {directory} includes {include.group(1)}"


def test_cpp_directories_include_only_permitted_headers() -> None:
    wrong = [complaint for path in cplusplus_files() for complaint in foreign_includes(path)]
    assert not wrong, "\n".join(wrong)


def test_the_runtime_knows_no_mlir() -> None:
    files = [path for path in cplusplus_files() if cplusplus_room(place_of(path)) == "Runtime"]
    assert files, "lib/Runtime is empty"
    wrong = [str(path) for path in files if re.search(r'#\s*include\s+["<](mlir|llvm)', path.read_text())]
    assert not wrong


def test_the_executor_is_chosen_through_its_interface() -> None:
    for name in ("Executor.h", "Executor.cpp"):
        text = (ROOT / "lib" / "Runtime" / name).read_text()
        assert not re.search(r'#\s*include\s+"(OpenMP|Pool)', text), name


def test_decisions_are_separate_from_emission() -> None:
    """``Plan`` creates no ops, and the emitter compares no costs and selects no loops."""
    emitter = ROOT / "lib" / "Conversion" / "NestsToLoops"
    planning = [path for path in cplusplus_files() if cplusplus_room(place_of(path)) == "Plan"]
    assert planning, "lib/Plan is empty"
    builds = r"\b(OpBuilder|IRRewriter)\b|Dialect/Vector/|::create\("
    wrong = [str(path.relative_to(ROOT)) for path in planning if re.search(builds, path.read_text())]
    decides = r"\b(getCost|chooseNestConfig|chooseScanConfig|makeSchedule|planMatmul|planKernel)\b"
    wrong += [str(path.relative_to(ROOT)) for path in sorted(emitter.glob("*")) if re.search(decides, path.read_text())]
    assert not wrong


def test_headers_hold_no_using_namespace() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in cplusplus_files()
        if path.suffix == ".h" and re.search(r"^\s*using namespace", path.read_text(), re.MULTILINE)
    ]
    assert not wrong


def test_built_libraries_do_not_load_shared_llvm() -> None:
    """The shared libLLVM takes 15 ms to load, and users do not have it; linking some of MLIR's targets would add it."""
    modules = sorted(PACKAGE.glob("*.so"))
    assert [module.name.split(".")[0] for module in modules] == ["_native", "_runtime"]
    for module in modules:
        loaded = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout
        assert "libc.so" in loaded
        assert "LLVM" not in loaded


def test_compiler_build_id_covers_compiler_sources() -> None:
    """The disk cache's keys contain the files of the rooms that ``compiler`` may import, directly or indirectly."""
    directories: set[str] = set()
    new = {"compiler"} | EVERYBODY
    while new:
        directories |= new
        new = set().union(*(PYTHON.get(directory, set()) for directory in new)) - directories
    assert set(COMPILING) == {directory for directory in directories if (PACKAGE / directory).is_dir()}

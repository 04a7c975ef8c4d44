"""Checks a wheel in a fresh virtual environment without compiler, LLVM and the caller's environment variables.

    python3.12 tools/check_wheel.py dist/blockdsl-*-cp312-*.whl

The wheel is installed for the Python that runs this program. It needs the standard library and a PyPI.
"""

from __future__ import annotations

import configparser
import platform
import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "test" / "wheel"
PROGRAM, TYPED = FOLDER / "program.py", FOLDER / "typed.py"
LIMIT = 100_000_000
DEPENDENCIES = ["llvmlite==0.50.*", "numpy"]
ENVIRONMENT = {"blockdsl", "llvmlite", "numpy"}

# The libraries of any Linux with glibc: no LLVM, MLIR, compression or C++ library.
SYSTEM = {"linux-vdso", "ld-linux-x86-64", "ld-linux-aarch64", "libc", "libdl", "libm", "libpthread", "libgcc_s"}

# Licenses of the package and of the libraries linked into it, the files in licenses/.
# The linker's -Wl,-Map=FILE lists the linked libraries.
LICENSES = {"LICENSE", "LLVM.txt", "LLVM_third_party.txt", "libstdcxx.txt", "nanobind.txt", "robin_map.txt"}


# The entry points for Triton, torch and the shell.
ENTRY_POINTS = {
    ("triton.backends", "cpu", "blockdsl_triton"),
    ("torch_dynamo_backends", "blockdsl", "blockdsl.torch_compile:compile_graph"),
    ("console_scripts", "blockdsl", "blockdsl.__main__:main"),
    ("console_scripts", "blockdsl-opt", "blockdsl.mlir.opt:main"),
}


class WheelFaultError(Exception):
    """A fault of a wheel."""


def expect(holds: bool, complaint: str) -> None:
    """Raises the complaint unless a condition holds."""
    if not holds:
        raise WheelFaultError(complaint)


def entry_points(archive: zipfile.ZipFile, names: list[str]) -> set[tuple[str, str, str]]:
    """Returns group, name and value of each entry point of a wheel."""
    parser = configparser.ConfigParser(delimiters=("=",))
    for name in names:
        if name.endswith(".dist-info/entry_points.txt"):
            parser.read_string(archive.read(name).decode())
    return {(group, name, value) for group in parser.sections() for name, value in parser[group].items()}


def check_archive(wheel: Path) -> str:
    """Checks name, size and contents of a wheel. Returns the sizes as a sentence."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    expect(
        re.fullmatch(rf"blockdsl-[\w.]+-{tag}-{tag}-manylinux_2_2[78]_\w+\.whl", wheel.name) is not None,
        f"expected a wheel for {tag} and glibc 2.28, got {wheel.name}",
    )
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        unpacked = sum(entry.file_size for entry in archive.infolist())
        entries = entry_points(archive, names)
        metadata = archive.read(next(name for name in names if name.endswith(".dist-info/METADATA"))).decode()
        package = archive.read("blockdsl/__init__.py").decode() if "blockdsl/__init__.py" in names else ""
        licenses = {Path(name).name for name in names if ".dist-info/licenses/" in name and archive.read(name)}
    packed = wheel.stat().st_size
    expect(unpacked <= LIMIT, f"expected at most {LIMIT} bytes unpacked, got {unpacked}")
    expect(licenses == LICENSES, f"expected the licences {sorted(LICENSES)}, got {sorted(licenses)}")
    expect(entries == ENTRY_POINTS, f"expected the entry points {sorted(ENTRY_POINTS)}, got {sorted(entries)}")
    # Programs compare the language's version, which precedes ours.
    metadata_version = re.search(r"^Version: (.+)$", metadata, re.MULTILINE)
    package_version = re.search(r'^__version__ = "\d+\.\d+\.\d+\+blockdsl\.(.+)"$', package, re.MULTILINE)
    found_versions = (metadata_version and metadata_version[1], package_version and package_version[1])
    expect(
        metadata_version is not None and found_versions[0] == found_versions[1],
        f"expected one version in METADATA and __init__.py, got {found_versions}",
    )
    stubs = {"blockdsl/py.typed", "blockdsl/_native.pyi", "blockdsl/_runtime.pyi"} - set(names)
    expect(not stubs, f"expected the types of the package, missing {sorted(stubs)}")
    foreign = [name for name in names if not re.match(r"blockdsl(_triton)?/|blockdsl-[^/]+\.dist-info/", name)]
    expect(not foreign, f"expected the package only, got {foreign}")
    modules = sorted(name.split("-linux-")[0] for name in names if ".so" in name)
    expected = [f"blockdsl/{name}.cpython-{tag[2:]}-{platform.machine()}" for name in ("_native", "_runtime")]
    expect(modules == expected, f"expected {expected}, got {modules}")
    lines = [line for line in metadata.splitlines() if line.startswith("Requires-Dist") and ";" not in line]
    needed = [line.split(": ")[1] for line in lines]
    expect(sorted(needed) == DEPENDENCIES, f"expected the dependencies {DEPENDENCIES}, got {needed}")
    return f"{packed / 1e6:.1f} MB, {unpacked / 1e6:.1f} MB unpacked"


def shared_libraries(module: Path) -> set[str]:
    """Returns the libraries that ldd lists for a module, by their names without version."""
    lines = subprocess.run(["ldd", module], capture_output=True, text=True, check=True).stdout.splitlines()
    missing = [line.strip() for line in lines if "not found" in line]
    expect(not missing, f"{module.name} misses {missing}")
    return {Path(line.split()[0]).name.split(".so")[0] for line in lines}


def check_installed(home: Path, wheel: Path) -> None:
    """Installs a wheel, checks its dependencies, and runs the program and blockdsl-opt in an empty environment."""
    venv.create(home / "env", with_pip=True)
    programs = home / "env" / "bin"
    python = programs / "python"
    pip: list[str | Path] = [python, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "-q", wheel], check=True)
    output = subprocess.run([*pip, "list", "--format=freeze"], capture_output=True, text=True, check=True).stdout
    installed = {line.split("==")[0] for line in output.splitlines()} - {"pip", "setuptools"}
    expect(installed == ENVIRONMENT, f"expected {sorted(ENVIRONMENT)} to be installed, got {sorted(installed)}")

    modules = list((home / "env").glob("lib/python*/site-packages/blockdsl/*.so"))
    expect(len(modules) == 2, f"expected two modules, got {modules}")
    for module in modules:
        foreign = shared_libraries(module) - SYSTEM
        expect(not foreign, f"{module.name} needs {sorted(foreign)} of the system")

    bare = {"HOME": str(home), "PATH": str(programs)}
    module = home / "softmax.ttir"
    program = home / "program.py"
    program.write_text(PROGRAM.read_text())
    subprocess.run([python, program, module], env=bare, cwd=home, check=True)
    command: list[str | Path] = [programs / "blockdsl-opt", "--blockdsl-cpu", module]
    lowered = subprocess.run(command, env=bare, cwd=home, capture_output=True, text=True, check=True).stdout
    expect("llvm.func @softmax_rows" in lowered, f"blockdsl-opt printed {lowered!r}")
    check_types(home, python)


def check_types(home: Path, python: Path) -> None:
    """Checks a user's program with mypy. One of its lines has an expected error."""
    subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "install", "-q", "mypy"], check=True)
    program = home / "typed.py"
    program.write_text(TYPED.read_text())
    command = [python, "-m", "mypy", "--strict", "--warn-unused-ignores", "--cache-dir", home / "mypy", program]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)
    expect(done.returncode == 0, f"mypy says of a user's program: {done.stdout}{done.stderr}")


def main() -> None:
    """Checks the wheels of the command line."""
    for wheel in map(Path, sys.argv[1:]):
        try:
            sizes = check_archive(wheel)
            with tempfile.TemporaryDirectory(prefix="blockdsl-wheel-") as home:
                check_installed(Path(home), wheel.resolve())
        except WheelFaultError as fault:
            sys.exit(f"check_wheel: {wheel.name}: {fault}")
        print(f"check_wheel: {wheel.name} is good: {sizes}", flush=True)


if __name__ == "__main__":
    main()

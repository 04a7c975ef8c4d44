"""Options and fixtures of all tests.

``--device cuda`` runs the kernels of test/python/language, test_examples.py and test_devices.py on a GPU.
``--keep-kernels DIR`` writes every kernel that the tests build to a directory, as text, for test/compile_for_gpus.py.
``--record-names DIR`` writes which names of the language the tests used, for docs/compatibility_types.md.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import recording
import shared_code


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--device", choices=("cpu", "cuda"), default="cpu", help="where kernels run")
    parser.addoption(
        "--keep-kernels", type=os.path.abspath, metavar="DIR", help="write the kernels that are built to DIR"
    )
    parser.addoption(
        "--record-names", type=os.path.abspath, metavar="DIR", help="write what the tests have used to DIR"
    )


def pytest_configure(config: pytest.Config) -> None:
    recorded = config.getoption("--record-names")
    if recorded is not None:
        for earlier in () if hasattr(config, "workerinput") else Path(recorded).glob("*.json"):
            earlier.unlink()
        config.pluginmanager.register(recording.Recorder(Path(recorded)))
    directory_option = config.getoption("--keep-kernels")
    if directory_option is not None:
        directory = Path(directory_option)
        if not hasattr(config, "workerinput"):
            directory.mkdir(parents=True, exist_ok=True)
            for earlier in directory.glob("*.ttir"):
                earlier.unlink()
        keep_kernels(directory)
    description = (
        "cpu_only: holds on CPUs: host addresses, meanings that Triton leaves open, what its assembler refuses"
    )
    config.addinivalue_line("markers", description)
    config.addinivalue_line("markers", "since_torch_2_13: about what torch before 2.13 does not have")
    config.addinivalue_line("markers", "long: takes minutes, so it starts first: others would wait for it in the end")
    config.addinivalue_line("markers", "addresses: the addresses of tensors are data, so they run where they are")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    from blockdsl.torch_compile.versions import IS_BEFORE_2_13

    left_out = ["cpu_only"] * (config.getoption("--device") == "cuda") + ["since_torch_2_13"] * IS_BEFORE_2_13
    for marker in left_out:
        config.hook.pytest_deselected(items=[item for item in items if item.get_closest_marker(marker)])
        items[:] = [item for item in items if not item.get_closest_marker(marker)]
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


@pytest.fixture(autouse=True, scope="session")
def temporary_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Files that a failing compilation writes for its error message are removed with pytest's directories."""
    directory = tmp_path_factory.mktemp("tmp")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(directory))
        patch.setattr(tempfile, "tempdir", None)  # Already found.
        yield


@pytest.fixture(scope="session")
def run_directory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory that all processes of a run share."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if hasattr(request.config, "workerinput") else own


@pytest.fixture(autouse=True, scope="session")
def shared_object_code(run_directory: Path) -> Iterator[None]:
    """LLVM compiles a text once for all processes of a run; front end and passes run for each test."""
    from blockdsl.backends import cpu

    directory = run_directory / "object_code"
    directory.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpu, "emit_object", shared_code.sharing(cpu.emit_object, directory))
        yield


@pytest.fixture(autouse=True)
def cache_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a cache of its own, so that the user's cache is neither read nor written."""
    directory = tmp_path / "cache"
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(directory))
    return directory


@pytest.fixture
def device(request: pytest.FixtureRequest) -> str:
    """The device of the tests' tensors."""
    name: str = request.config.getoption("--device")
    return name


@pytest.fixture
def keeping(request: pytest.FixtureRequest) -> dict[str, str]:
    """Returns the environment in which a test's program uses the test's cache."""
    directory = request.config.getoption("--keep-kernels")
    return {} if directory is None else {"BLOCKDSL_DUMP": "ttir", "BLOCKDSL_DUMP_DIR": directory}


def keep_kernels(directory: Path) -> None:
    """Makes the front end write each module that it builds once, whichever file its kernel is in."""
    from blockdsl import frontend
    from blockdsl.mlir import print_tt

    build = frontend.build_module

    def build_and_write(source: Any, *others: Any) -> Any:
        module = build(source, *others)
        digest = hashlib.sha256(print_tt(module).encode()).hexdigest()
        path = directory / f"{source.name}-{digest[:16]}.ttir"
        if not path.exists():
            part = path.with_suffix(f".{os.getpid()}")
            part.write_text(print_tt(module, locations=True))
            part.rename(path)
        return module

    frontend.build_module = build_and_write

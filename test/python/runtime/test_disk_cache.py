"""Tests of kernels in the disk cache: hits, and faults, which are warnings only."""

from __future__ import annotations

import concurrent.futures
import hashlib
import json
import os
import random
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from handwritten import make_add

from blockdsl.compiler import cache, cpu_kernel
from blockdsl.compiler.cache import DiskCache, Entry
from blockdsl.compiler.target import host_identity

pytestmark = pytest.mark.without_sanitizers("the disk cache is off there")

HERE = Path(__file__).parent
ENTRY = Entry({"name": "add", "slots": [[0, "n"]]}, bytes(range(256)) * 20)
KEY = cache.digest("some", "key")


def whole(entry: Entry) -> Entry:
    return entry


def entries(directory: Path) -> list[Path]:
    return sorted(path for path in directory.iterdir() if not path.name.startswith("."))


def run_add() -> None:
    """Launches a kernel that has compiled nothing yet, and checks the result."""
    x, y, out = torch.ones(64), torch.ones(64), torch.zeros(64)
    make_add()[(1,)](x, y, out, 64)
    assert bool((out == 2).all())


@pytest.fixture
def compilations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with every compilation that the cache does not save."""
    seen: list[str] = []
    make = cpu_kernel._make

    def counted(program: cpu_kernel.Program, options: cpu_kernel.Options, *further: object) -> object:
        seen.append(cpu_kernel._key(program, options))
        return make(program, options, *further)

    monkeypatch.setattr(cpu_kernel, "_make", counted)
    return seen


def test_a_second_kernel_is_loaded(cache_dir: Path, compilations: list[str]) -> None:
    run_add()
    run_add()
    assert len(compilations) == 1
    assert [path.name for path in entries(cache_dir)] == compilations
    assert cache_dir.stat().st_mode & 0o777 == 0o700
    assert entries(cache_dir)[0].stat().st_mode & 0o777 == 0o600


def test_the_cache_can_be_switched_off(
    cache_dir: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE", "0")
    run_add()
    run_add()
    assert len(compilations) == 2
    assert not cache_dir.exists()


def test_no_home_means_no_cache(compilations: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CACHE_HOME", "BLOCKDSL_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    run_add()
    assert len(compilations) == 1


def truncated(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data))]


def emptied(data: bytes, chance: random.Random) -> bytes:
    return b""


def zeroed(data: bytes, chance: random.Random) -> bytes:
    return bytes(len(data))


def garbled(data: bytes, chance: random.Random) -> bytes:
    return chance.randbytes(500)


def flipped(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :]


def extended(data: bytes, chance: random.Random) -> bytes:
    return data + chance.randbytes(16)


def of_another_version(data: bytes, chance: random.Random) -> bytes:
    return data.replace(b"blockdsl-kernel 1", b"blockdsl-kernel 2", 1)


def nested(data: bytes, chance: random.Random) -> bytes:
    return b"blockdsl-kernel 1\n" + b"[" * 100_000 + b"\n"


FAULTS = [truncated, emptied, zeroed, garbled, flipped, extended, of_another_version, nested]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_damaged_entry_is_compiled_again(
    fault: Callable[[bytes, random.Random], bytes], cache_dir: Path, compilations: list[str]
) -> None:
    run_add()
    path = entries(cache_dir)[0]
    path.write_bytes(fault(path.read_bytes(), random.Random(1)))
    cache._caches.clear()
    with pytest.warns(RuntimeWarning, match=r"cached kernel .* is not used \(.*\); the kernel is compiled again"):
        run_add()
    assert len(compilations) == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run_add()  # The entry is valid again.
    assert len(compilations) == 2


@pytest.mark.parametrize("fault", FAULTS)
def test_any_damage_is_detected(fault: Callable[[bytes, random.Random], bytes]) -> None:
    data = cache.encode(KEY, "this", ENTRY)
    assert cache.decode(data, KEY, "this") == ENTRY
    for seed in range(200):
        with pytest.raises(cache.Fault):
            cache.decode(fault(data, random.Random(seed)), KEY, "this")


def test_an_entry_of_another_kernel_or_cpu_is_not_used(tmp_path: Path) -> None:
    disk = DiskCache(tmp_path / "kernels")
    other = cache.digest("another", "key")
    disk.store(KEY, "this", ENTRY)
    (tmp_path / "kernels" / other).write_bytes((tmp_path / "kernels" / KEY).read_bytes())
    (tmp_path / "kernels" / other).chmod(0o600)
    with pytest.warns(RuntimeWarning, match="it holds another kernel"):
        assert disk.load(other, "this", whole) is None
    with pytest.warns(RuntimeWarning, match="it was compiled for another machine"):
        assert disk.load(KEY, "that", whole) is None
    assert disk.load(KEY, "this", whole) == ENTRY


FORGED: list[tuple[str, object]] = [
    *[("scratch_bytes", value) for value in (-1, 1 << 60, 1.5, True, "0", None)],
    *[("stack_bytes", value) for value in (-8, 1 << 40, "many")],
    *[
        ("slots", value)
        for value in ([], {}, None, 7, "nn", [[0, "n"]] * 4, [[9, "n"]], [["0", "n"]], [[0, 7]], [0, 1])
    ],
    ("slots", [[0, "n"], [1, "n"], [1 << 70, "n"], [3, "n"]]),
    ("slots", [[0, "n"], [1, "n"], [2, "?"], [3, "n"]]),
    ("slots", [[0.0, "n"], [1, "n"], [2, "n"], [3, "n"]]),
    *[("written", value) for value in (None, 2, [-1], [4], [True], ["2"], [[2]])],
    *[("narrow", value) for value in (None, {}, [0], [[0]], [[0, 1]], [[9, "place"]], [["0", "place"]])],
    *[("accesses", value) for value in (None, {}, [2], [1, 1, 0, 0], [1, 0, 0, 0, 0], ["1"], [1 << 70], [1.5])],
    *[("access_places", value) for value in (None, ["k.py:1"], [["k.py", 1, 1, 1, "k"]])],
    ("access_places", [["k.py", 1, 1, 1, "kernel", ["called from"]]]),
    *[("remarks", value) for value in (None, {}, ["a"], [["passed", "Name", "storage", "text", ["k.py", 1]]])],
    ("remarks", [["passed", "Name", "storage", 3, ["k.py", 1, 1, 1, "kernel", []]]]),
    *[("sources", value) for value in (None, {}, ["k.py:1"], [["k.py", 1]], [["k.py", "1", 2]])],
    *[("name", value) for value in ("sub", "", None, 3)],
    *[("key", value) for value in ("../key", None)],
    *[("alias", 3), ("streaming_stores", 1), ("cpu", [])],
]


@pytest.mark.parametrize("is_missing", [False, True])
def test_forged_metadata_are_compiled_again(is_missing: bool, cache_dir: Path, compilations: list[str]) -> None:
    """The digests of these entries are right."""
    run_add()
    path = entries(cache_dir)[0]
    sound = cache.decode(path.read_bytes(), path.name, host_identity())
    assert sound.metadata["slots"] == [[0, "n"], [1, "n"], [2, "n"], [3, "n"]]
    names = dict(FORGED)
    for name, value in [(name, None) for name in names] if is_missing else FORGED:
        forged = {**sound.metadata, name: value}
        if is_missing:
            del forged[name]
        path.write_bytes(cache.encode(path.name, host_identity(), Entry(forged, sound.object)))
        cache._caches.clear()
        compilations.clear()
        with pytest.warns(RuntimeWarning, match=f"is not used .its metadata have .*'{name}'") as caught:
            run_add()
        assert (len(caught), len(compilations)) == (1, 1)
        assert cache.decode(path.read_bytes(), path.name, host_identity()).metadata == sound.metadata


@pytest.mark.parametrize("metadata", [None, [], "metadata", 3])
def test_missing_metadata(metadata: Any, cache_dir: Path, compilations: list[str]) -> None:
    run_add()
    path = entries(cache_dir)[0]
    header = {"key": path.name, "machine": host_identity(), "metadata": metadata, "length": 0,
              "sha256": hashlib.sha256(b"").hexdigest()}  # fmt: skip
    sealed = {"seal": cache.digest(json.dumps(header, sort_keys=True)), "header": header}
    path.write_bytes(cache.MAGIC + json.dumps(sealed).encode() + b"\n")
    cache._caches.clear()
    with pytest.warns(RuntimeWarning, match="its header is damaged"):
        run_add()
    assert len(compilations) == 2


@pytest.mark.parametrize("code", [b"", b"\x7fELF", bytes(5000)])
def test_unloadable_machine_code(code: bytes, cache_dir: Path, compilations: list[str]) -> None:
    run_add()
    path = entries(cache_dir)[0]
    sound = cache.decode(path.read_bytes(), path.name, host_identity())
    path.write_bytes(cache.encode(path.name, host_identity(), Entry(sound.metadata, code)))
    cache._caches.clear()
    with pytest.warns(RuntimeWarning, match="its machine code is not loaded"):
        run_add()
    assert len(compilations) == 2


def test_the_key_is_unambiguous() -> None:
    assert cache.digest("ab", "c") != cache.digest("a", "bc")
    assert cache.digest("a") != cache.digest("a", "")


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_directory_writable_by_others_is_not_used(mode: int, cache_dir: Path, compilations: list[str]) -> None:
    cache_dir.mkdir()
    cache_dir.chmod(mode)
    with pytest.warns(RuntimeWarning, match="others may write to it"):
        run_add()
    assert len(compilations) == 1
    assert not entries(cache_dir)


def test_a_directory_of_another_user_is_not_used(
    cache_dir: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run_add()
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    with pytest.warns(RuntimeWarning, match="it belongs to another user"):
        run_add()
    assert len(compilations) == 2


def test_a_symbolic_link_is_followed(cache_dir: Path, tmp_path: Path, compilations: list[str]) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    cache_dir.symlink_to(tmp_path / "elsewhere")
    run_add()
    run_add()
    assert entries(tmp_path / "elsewhere")
    assert len(compilations) == 1


def test_a_symbolic_link_of_another_user_is_not_followed(
    cache_dir: Path, tmp_path: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    cache_dir.symlink_to(tmp_path / "elsewhere")
    status = os.lstat(cache_dir)
    other = os.stat_result([*status[:4], os.geteuid() + 1, *status[5:]])
    monkeypatch.setattr(
        os, "lstat", lambda path, **_: other if path == cache_dir else os.stat(path, follow_symlinks=False)
    )
    with pytest.warns(RuntimeWarning, match="its symbolic link belongs to another user"):
        run_add()
    assert not entries(tmp_path / "elsewhere")
    assert len(compilations) == 1


def test_symbolic_link_to_directory_writable_by_others(
    cache_dir: Path, tmp_path: Path, compilations: list[str]
) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "elsewhere").chmod(0o777)
    cache_dir.symlink_to(tmp_path / "elsewhere")
    with pytest.warns(RuntimeWarning, match="others may write to it"):
        run_add()
    assert not entries(tmp_path / "elsewhere")
    assert len(compilations) == 1


def test_file_in_place_of_the_directory(cache_dir: Path, compilations: list[str]) -> None:
    cache_dir.write_text("not a directory")
    with pytest.warns(RuntimeWarning, match="is not used"):
        run_add()
    assert len(compilations) == 1


def test_fifo_in_place_of_an_entry_does_not_block(tmp_path: Path) -> None:
    disk = DiskCache(tmp_path / "kernels")
    (tmp_path / "kernels").mkdir(mode=0o700)
    os.mkfifo(tmp_path / "kernels" / KEY, 0o600)
    with pytest.warns(RuntimeWarning, match="it is no cache entry"):
        assert disk.load(KEY, "this", whole) is None


def test_read_only_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = DiskCache(tmp_path / "kernels")

    def full(*paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.warns(RuntimeWarning, match="cannot be written .*No space left"):
        disk.store(KEY, "this", ENTRY)
    assert not entries(tmp_path / "kernels")
    assert not list((tmp_path / "kernels").glob(".*-*"))  # No temporary file is left behind.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        disk.store(KEY, "this", ENTRY)  # Reported once.


def test_directory_that_cannot_be_created(
    cache_dir: Path, compilations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache_dir.parent.joinpath("file").write_text("")
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(cache_dir.parent / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="is not used"):
        run_add()
    assert len(compilations) == 1


def test_a_cache_that_vanishes_while_compiling(cache_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = cpu_kernel._make

    def remove_then_make(program: cpu_kernel.Program, options: cpu_kernel.Options, *further: object) -> object:
        for path in cache_dir.iterdir():
            path.unlink()
        cache_dir.rmdir()
        return make(program, options, *further)

    monkeypatch.setattr(cpu_kernel, "_make", remove_then_make)
    run_add()
    run_add()


def launch_in_a_process(cache_dir: Path, log: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "BLOCKDSL_CACHE_DIR": str(cache_dir)}
    command = [sys.executable, str(HERE / "stampede_program.py"), str(log)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)


def test_concurrent_processes_compile_once(cache_dir: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: launch_in_a_process(cache_dir, log), range(6)))
    assert [(result.returncode, result.stderr) for result in results] == [(0, "")] * 6
    assert log.read_text() == "compiled\n"
    assert len(entries(cache_dir)) == 1

"""Tests of entries of Triton's cache for the CPU: damaged, exchanged, forged, or in another user's directory."""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import torch
import triton
import triton.language as tl

from blockdsl.compiler import cache, ownership
from blockdsl.compiler.cache import Entry
from blockdsl.compiler.target import host_identity
from blockdsl.errors import LaunchError
from blockdsl.triton import kernel_binary

FILES = ("shifted.blockdsl", "shifted.json", "shifted.ttir", "shifted.source", "shifted.json.seal",
         "__grp__shifted.json")  # fmt: skip


@triton.jit
def shifted(x_ptr, out_ptr, n, BY: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + BY, mask=at < n)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with each kernel that Triton's cache does not save."""
    seen: list[str] = []
    pack = kernel_binary.pack

    def counted(program: Any, options: Any, key: str, *rest: Any) -> bytes:
        seen.append(key)
        return pack(program, options, key, *rest)

    monkeypatch.setattr(kernel_binary, "pack", counted)
    monkeypatch.setattr(ownership, "_warned", set())
    return seen


def launch(by: int) -> Any:
    """Launches as the first launch of a process."""
    shifted.device_caches.clear()
    x, out = torch.arange(64.0), torch.zeros(64)
    kernel = shifted[(1,)](x, out, 64, BY=by, BLOCK=64)
    assert torch.equal(out, x + by)
    return kernel


def kept(by: int) -> Path:
    """Returns the directory of a kernel."""
    return Path(launch(by).metadata_group["shifted.json"]).parent


@contextmanager
def compiling_again(compiled: list[str], reason: str) -> Iterator[None]:
    """Expects one warning and one compilation, and none at the next launch."""
    compiled.clear()
    with pytest.warns(RuntimeWarning, match=f"Triton has kept at .* is not used .{reason}.*compiled again") as caught:
        yield
    assert (len(caught), len(compiled)) == (1, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        launch(5)
    assert len(compiled) == 1


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "truncated": lambda data, chance: data[: chance.randrange(len(data))],
    "emptied": lambda data, chance: b"",
    "zeroed": lambda data, chance: bytes(len(data)),
    "garbled": lambda data, chance: chance.randbytes(500),
    "extended": lambda data, chance: data + b"\xff\0",
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file(name: str, damage: str, compiled: list[str]) -> None:
    path = kept(5) / name
    path.write_bytes(DAMAGES[damage](path.read_bytes(), random.Random(name)))
    with compiling_again(compiled, "'?[a-z]"):
        launch(5)


def test_a_flipped_bit_anywhere(compiled: list[str]) -> None:
    path = kept(5) / "shifted.blockdsl"
    sound = path.read_bytes()
    chance = random.Random(1)
    for _ in range(25):
        at = chance.randrange(len(sound))
        path.write_bytes(sound[:at] + bytes([sound[at] ^ 1 << chance.randrange(8)]) + sound[at + 1 :])
        ownership._warned.clear()
        with compiling_again(compiled, "'shifted.blockdsl' is damaged"):
            launch(5)
        assert path.read_bytes() == sound


@pytest.mark.parametrize("names", [FILES[:1], FILES[1:2], FILES[2:3], FILES[:3], FILES[:5], FILES])
def test_files_of_two_kernels_exchanged(names: tuple[str, ...], compiled: list[str]) -> None:
    first, second = kept(5), kept(9)
    for name in names:
        (first / name).rename(first / "aside")
        (second / name).rename(first / name)
        (first / "aside").rename(second / name)
    with compiling_again(compiled, ""):
        launch(5)
    with pytest.warns(RuntimeWarning, match="compiled again"):
        launch(9)


def test_directory_of_another_kernel(compiled: list[str]) -> None:
    first, second = kept(5), kept(9)
    shutil.rmtree(first)
    shutil.copytree(second, first)
    with compiling_again(compiled, "it holds another kernel"):
        launch(5)


@pytest.mark.parametrize("path", [None, 1 << 100, -1, 1.5, [], {}, "a\0b", "\ud800"], ids=repr)
def test_a_list_of_files_with_other_types(path: object, compiled: list[str]) -> None:
    listed = kept(5) / "__grp__shifted.json"
    said = json.loads(listed.read_text())
    said["child_paths"]["shifted.blockdsl"] = path
    listed.write_text(json.dumps(said))
    compiled.clear()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # A file that is missing is no damage.
        launch(5)
    assert len(compiled) == 1


def sealed_anew(directory: Path) -> None:
    """Makes the digests right, as a forger would."""
    seal = directory / "shifted.json.seal"
    caught = json.loads(seal.read_text())
    caught["files"] = {name: hashlib.sha256((directory / name).read_bytes()).hexdigest() for name in caught["files"]}
    seal.write_text(json.dumps(caught))


def test_a_sealed_kernel_of_another_key(compiled: list[str]) -> None:
    """The binary itself contains the key."""
    first, second = kept(5), kept(9)
    shutil.copy(second / "shifted.blockdsl", first)
    sealed_anew(first)
    with compiling_again(compiled, "it holds another kernel"):
        launch(5)
    shutil.copy(second / "shifted.json", first)
    sealed_anew(first)
    ownership._warned.clear()
    with compiling_again(compiled, "its metadata are another kernel's"):
        launch(5)


def test_a_kernel_of_another_cpu(compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    first = kept(5)
    path = first / "shifted.blockdsl"
    entry = cache.decode(path.read_bytes(), None, host_identity())
    key = json.loads((first / "shifted.json").read_text())["hash"]
    path.write_bytes(cache.encode(key, "x86_64;another", entry))
    sealed_anew(first)
    with compiling_again(compiled, "it was compiled for another machine"):
        launch(5)


FORGED: list[tuple[str, Any]] = [
    ("scratch_bytes", -1), ("stack_bytes", 1 << 50), ("slots", [[0, "n"], [1 << 40, "n"], [2, "n"]]), ("slots", None),
    ("written", [3]), ("narrow", 1), ("name", 3), ("program", None), ("program", {}),
]  # fmt: skip
FORGED_WITHIN: list[tuple[str, Any]] = [
    ("text", 3), ("origin", None), ("overrides", []), ("overrides", {"nests": ["one"]}),
    ("types", {}), ("types", [["x_ptr"]]), ("types", [["x", "*fp32"]]),
    ("types", [["x_ptr", "tensordesc<fp32[?]>"]]), ("divisibility", []), ("divisibility", {"x_ptr": 0}),
    ("divisibility", {"x_ptr": "16"}), ("fp_fusion", 1),
]  # fmt: skip


@pytest.mark.parametrize(("is_within", "name", "value"), [*[(False, *each) for each in FORGED],
                                                          *[(True, *each) for each in FORGED_WITHIN]])  # fmt: skip
def test_forged_metadata(is_within: bool, name: str, value: Any, compiled: list[str]) -> None:
    first = kept(5)
    path = first / "shifted.blockdsl"
    key = json.loads((first / "shifted.json").read_text())["hash"]
    entry = cache.decode(path.read_bytes(), key, host_identity())
    metadata: dict[str, Any] = json.loads(json.dumps(dict(entry.metadata)))
    (metadata["program"] if is_within else metadata)[name] = value
    path.write_bytes(cache.encode(key, host_identity(), Entry(metadata, entry.object)))
    sealed_anew(first)
    with compiling_again(compiled, ""):
        launch(5)


@pytest.mark.parametrize("change", [
    {"target": {"backend": "cpu", "arch": 0}}, {"name": None}, {"num_ctas": "1"}, {"shared": -1}, {"a b": 1},
    {"debug": None},
])  # fmt: skip
def test_forged_metadata_of_triton(change: dict[str, Any], compiled: list[str]) -> None:
    first = kept(5)
    path = first / "shifted.json"
    metadata = json.loads(path.read_text()) | change
    if change == {"debug": None}:
        del metadata["debug"]
    path.write_text(json.dumps(metadata))
    sealed_anew(first)
    with compiling_again(compiled, "its metadata have"):
        launch(5)


def test_a_binary_that_is_exchanged_in_memory_is_refused() -> None:
    first, second = launch(5), launch(9)
    assert first.hash != second.hash
    with kernel_binary.expected(first.hash), pytest.raises(LaunchError, match="it holds another kernel"):
        kernel_binary.unpack(second.asm["blockdsl"])
    with kernel_binary.expected(second.hash):
        kernel_binary.unpack(second.asm["blockdsl"])


@pytest.mark.parametrize("place", ["root", "entry", "file"])
@pytest.mark.parametrize("mode", [0o777, 0o722, 0o757])
def test_cache_writable_by_others_is_not_used(place: str, mode: int, compiled: list[str]) -> None:
    entry = kept(5)
    path = {"root": entry.parent, "entry": entry, "file": entry / "shifted.blockdsl"}[place]
    before = path.stat().st_mode & 0o777
    path.chmod(mode)
    compiled.clear()
    shared = (entry / "shifted.blockdsl").read_bytes()
    with pytest.warns(RuntimeWarning, match=r"is not used \(.*others may write to it\)") as caught:
        kernels = [launch(5), launch(5)]
    if place == "file":
        # It was written again.
        assert (len(caught), len(compiled)) == (1, 1)
        return
    assert (len(caught), len(compiled)) == (1, 2)
    assert not Path(kernels[1].metadata_group["shifted.json"]).is_relative_to(entry.parent)
    assert (entry / "shifted.blockdsl").read_bytes() == shared
    path.chmod(before)
    launch(5)
    assert len(compiled) == 2


def test_cache_of_another_user_is_not_used(compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    kept(5)
    compiled.clear()
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    monkeypatch.setenv("BLOCKDSL_CACHE", "0")
    with pytest.warns(RuntimeWarning, match="it belongs to another user") as caught:
        launch(5)
    assert (len(caught), len(compiled)) == (1, 1)


def test_a_group_of_the_users_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A umask of 002 is usual if each user has a private group."""
    import grp
    import pwd

    def group(name: str, *members: str) -> Any:
        return grp.struct_group((name, "x", os.getegid(), list(members)))

    me = pwd.getpwuid(os.geteuid())
    user = pwd.struct_passwd((me.pw_name, "x", os.geteuid(), os.getegid(), "", "/", "/bin/sh"))
    monkeypatch.setattr(pwd, "getpwuid", lambda number: user)
    tmp_path.chmod(0o775)
    for found, is_foreign in [(group(me.pw_name), False), (group(me.pw_name, me.pw_name), False),
                              (group("users"), True), (group(me.pw_name, "other"), True)]:  # fmt: skip
        monkeypatch.setattr(grp, "getgrgid", lambda number, found=found: found)
        assert (ownership.foreign([tmp_path]) is not None) == is_foreign
    assert ownership.fault_of(tmp_path.stat()) == "others may write to it"
    assert ownership.foreign([None, tmp_path / "missing"]) is None


def test_the_cache_is_made_for_the_user_alone(compiled: list[str]) -> None:
    assert kept(5).parent.stat().st_mode & 0o777 == 0o700


def test_cache_that_cannot_be_created(compiled: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.warns(RuntimeWarning, match="is not used .*Not a directory"):
        launch(5)


def test_a_disk_that_is_full(compiled: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from triton.runtime.cache import FileCacheManager

    def put(self: Any, data: Any, filename: str, binary: bool = True) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(FileCacheManager, "put", put)
    with pytest.warns(RuntimeWarning, match="is not used .*No space left on device") as caught:
        launch(5)
    assert len(caught) == 1


def test_override_files_writable_by_others(
    compiled: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TRITON_DUMP_DIR", str(tmp_path / "files"))
    monkeypatch.setenv("TRITON_KERNEL_DUMP", "1")
    launch(5)
    monkeypatch.delenv("TRITON_KERNEL_DUMP")
    (path,) = (tmp_path / "files").glob("*/shifted.ttir")
    for other in path.parent.glob("shifted.*"):
        if other != path:
            other.unlink()
    path.write_text(re.sub(r"dense<5\.0\w*(\+00)?>|5\.0\w*(\+00)? : f32", lambda it: it[0].replace("5.", "6.", 1),
                           path.read_text()))  # fmt: skip
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(tmp_path / "files"))
    monkeypatch.setenv("TRITON_KERNEL_OVERRIDE", "1")
    monkeypatch.setenv("TRITON_ALWAYS_COMPILE", "1")
    with pytest.raises(AssertionError):
        launch(5)  # It is overridden.
    for place in (path.parent, tmp_path / "files"):
        before = place.stat().st_mode & 0o777
        place.chmod(0o777)
        ownership._warned.clear()
        with pytest.warns(RuntimeWarning, match="override.* no kernel .others may write to it"):
            launch(5)
        place.chmod(before)

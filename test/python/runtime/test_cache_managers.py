"""Tests of Triton's cache managers: files beside kernels, and kernels in a manager of the program's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import knobs
from blockdsl.errors import TargetError
from blockdsl.runtime import RedisRemoteCacheBackend, RemoteCacheBackend, cache
from blockdsl.runtime.cache import CacheManager, FileCacheManager, RemoteCacheManager


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("BLOCKDSL_CACHE", "1")
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.setenv("TRITON_HOME", str(tmp_path))
    with knobs.cache.scope():
        yield tmp_path / "kernels"


def make() -> Any:
    """Returns a kernel that this process has not compiled."""

    @blockdsl.jit
    def doubled(x_ptr, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        tl.store(x_ptr + at, 2 * tl.load(x_ptr + at))

    return doubled


def launched() -> Any:
    x = torch.ones(8)
    kernel = make()[(1,)](x, BLOCK=8)
    assert x.tolist() == [2.0] * 8
    return kernel


def test_files_of_a_key(directory: Path) -> None:
    manager = FileCacheManager("tables")
    assert (manager.get_file("sizes.json"), manager.has_file("sizes.json")) == (None, False)
    path = manager.put("[1, 2]", "sizes.json", binary=False)
    assert path == manager.get_file("sizes.json") == str(directory / "tables" / "sizes.json")
    manager.put(b"\0\1", "sizes.bin")
    manager.put(7, "sizes.json")
    assert Path(path).read_text() == "7"
    assert sorted(each.name for each in (directory / "tables").iterdir()) == ["sizes.bin", "sizes.json"]
    assert manager.lock_path == str(directory / "tables" / "lock")
    # Kernels in the same directory are still found.
    assert directory.stat().st_mode & 0o777 == 0o700


def test_groups_of_files(directory: Path) -> None:
    manager = cache.get_cache_manager("ab" * 32)
    assert manager.key == cache.base32("ab" * 32)
    assert manager.get_group("all.json") is None
    group = {name: manager.put(name, name) for name in ("a", "b")}
    manager.put_group("all.json", group)
    assert manager.get_group("all.json") == group
    Path(group["a"]).unlink()
    assert manager.get_group("all.json") is None
    for damaged in ("no group", '{"child_paths": {"a": 1000000000000000000000}}', '{"child_paths": {"a": null}}'):
        manager.put(damaged, "__grp__all.json")
        assert manager.get_group("all.json") is None


def test_dump_and_override_directories(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.default_cache_dir() == str(directory)
    dumped = cache.get_dump_manager("ab" * 32)
    assert Path(dumped.put("text", "kernel.ttir")).parent.parent == Path(cache.default_dump_dir() or "")
    assert cache.default_override_dir() == str(directory.parent / ".triton" / "override")
    assert cache.get_override_manager("ab" * 32).get_file("kernel.ttir") is None
    monkeypatch.setenv("TRITON_OVERRIDE_DIR", str(directory.parent / ".triton" / "dump"))
    path = cache.get_override_manager("ab" * 32).get_file("kernel.ttir")
    assert path is not None
    assert Path(path).read_text() == "text"


def test_no_cache_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("BLOCKDSL_CACHE_DIR", "TRITON_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    # As on systems without HOME and without an entry for the user.
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    with pytest.raises(TargetError, match=r"there is no directory for the files of '[A-Z2-7]+'") as got:
        cache.get_cache_manager("ab" * 32)
    assert got.value.hint == "set knobs.cache.dir"


class Kept(FileCacheManager):
    """A program's own manager, which keeps kernels in memory."""

    asked: ClassVar[list[str]] = []

    def put(self, data: Any, filename: str, binary: bool = True) -> str:
        self.asked.append(f"put {type(data).__name__}")
        return super().put(data, filename, binary)

    def get_file(self, filename: str) -> str | None:
        self.asked.append("get")
        return super().get_file(filename)


def test_cache_manager_class_stores_kernels(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Kept, "asked", [])
    knobs.cache.manager_class = Kept
    first = launched()
    assert "put bytes" in Kept.asked
    (path,) = directory.glob("*/kernel")
    assert first.metadata_group == {"kernel": str(path)}
    Kept.asked.clear()
    launched()
    assert set(Kept.asked) == {"get"}
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.warns(RuntimeWarning, match=r"the kernel [0-9a-f]+ of .*Kept.* is not used \(.*damaged\)"):
        launched()
    path.parent.chmod(0o777)
    with pytest.warns(RuntimeWarning, match=r"is not used \(.*others may write to it\)"):
        launched()
    path.parent.chmod(0o700)
    knobs.cache.manager_class = None
    launched()
    assert [each.name for each in directory.iterdir() if each.is_file() and each.name[0] != "."] != []


def test_class_named_by_environment_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRITON_CACHE_MANAGER", f"{__name__}:Kept")
    monkeypatch.setitem(sys.modules, __name__, sys.modules[Kept.__module__])
    assert knobs.cache.manager_class is Kept
    assert isinstance(cache.get_cache_manager("ab" * 32), Kept)
    for text, why in (("json:loads", "derives from CacheManager"), ("no_such:Kept", "No module named 'no_such'")):
        monkeypatch.setenv("TRITON_CACHE_MANAGER", text)
        with pytest.warns(RuntimeWarning, match=f"TRITON_CACHE_MANAGER='{text}' is ignored: .*{why}"):
            assert knobs.cache.manager_class is None
    with pytest.raises(TargetError, match="manager_class is a class that derives from CacheManager or None, got 3"):
        knobs.cache.manager_class = 3
    with pytest.raises(TypeError, match="abstract"):
        CacheManager("key")  # type: ignore[abstract]


class Server(RemoteCacheBackend):
    """Files in this process."""

    files: ClassVar[dict[tuple[str, str], bytes]] = {}

    def __init__(self, key: str) -> None:
        self.key = key

    def get(self, filenames: Any) -> dict[str, bytes]:
        return {name: self.files[self.key, name] for name in filenames if (self.key, name) in self.files}

    def put(self, filename: str, data: bytes) -> None:
        self.files[self.key, filename] = data


def test_kernels_of_a_server(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TargetError, match="a RemoteCacheManager has no server to ask"):
        RemoteCacheManager("key")
    monkeypatch.setattr(Server, "files", {})
    knobs.cache.remote_manager_class = Server
    knobs.cache.manager_class = RemoteCacheManager
    key = launched().metadata["key"]
    assert [name for _, name in Server.files] == ["kernel"]
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", str(directory.parent / "of another machine"))
    seen: list[bool] = []
    knobs.compilation.listener = lambda **told: seen.append(told["cache_hit"])
    try:
        launched()
    finally:
        del knobs.compilation.listener
    assert seen == [True]
    manager = cache.get_cache_manager(key)
    manager.put_group("all", {name: manager.put(name, name) for name in ("a", "b")})
    found = manager.get_group("all")
    assert found is not None
    assert {name: Path(path).read_text() for name, path in found.items()} == {"a": "a", "b": "b"}
    del Server.files[manager._backend.key, "b"]
    assert manager.get_group("all") is None
    dumped = cache.get_dump_manager(key)
    assert dumped.get_file("a") is None
    assert dumped.get_group("all") is None
    dumped.put_group("all", {"a": dumped.put("dumped", "a")})
    assert dumped.get_group("all") == {"a": dumped.get_file("a")}


def test_files_on_redis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its package differs from ours: the replacement keeps a dictionary."""
    data: dict[str, bytes] = {}

    class Redis:
        def __init__(self, host: str, port: int) -> None:
            assert (host, port) == ("there", 6380)

        def mget(self, names: list[str]) -> list[bytes | None]:
            return [data.get(name) for name in names]

        def set(self, name: str, value: bytes) -> bool:
            data[name] = value
            return True

    stand_in = ModuleType("redis")
    stand_in.Redis = Redis  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "redis", stand_in)
    with knobs.redis.scope():
        knobs.redis.host, knobs.redis.port = "there", 6380
        server = RedisRemoteCacheBackend("key")
        assert server.put("a", b"1")
        assert server.get(["a", "b"]) == {"a": b"1"}
    assert data == {"triton:key:a": b"1"}


def test_keys() -> None:
    assert cache.triton_key().startswith(f"{blockdsl.__version__}-")
    keys = {cache.make_so_cache_key("v", {"x": kind}, {}, (), num_warps=4) for kind in ("*fp32", "*fp16", "i32")}
    assert len(keys) == 2

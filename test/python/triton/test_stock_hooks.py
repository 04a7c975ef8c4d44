"""Tests of hooks, settings and patched methods of Triton in repeated launches, which bypass Triton's binder."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import triton
from repeated_launches import Binder, checked, scale
from triton import knobs
from triton.runtime import jit

import blockdsl
from blockdsl import _runtime
from blockdsl.triton import cached_launch


@pytest.fixture
def binder(monkeypatch: pytest.MonkeyPatch) -> Binder:
    return Binder(monkeypatch, scale, checked)


@pytest.mark.parametrize("libraries", [{}, {"libdevice": "libdevice.10.bc"}])
def test_hooks_see_libraries_as_pairs(libraries: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(knobs.runtime, "jit_post_compile_hook", lambda **info: seen.append(info["compile"]))
    x, out = torch.randn(2, 100)
    for _ in range(2):
        scale[(2,)](x, out, 100, extern_libs=libraries)
    assert [each["extern_libs"] for each in seen] == [tuple(libraries.items())]


def test_hooks_see_every_launch(binder: Binder) -> None:
    x, out = torch.randn(2, 100)
    seen: list[str] = []

    def enter(metadata: Any) -> None:
        seen.append(metadata.get()["name"])

    for _ in range(2):
        scale[(2,)](x, out, 100)
    knobs.runtime.launch_enter_hook.add(enter)
    try:
        scale[(2,)](x, out, 100)
    finally:
        knobs.runtime.launch_enter_hook.remove(enter)
    scale.add_pre_run_hook(lambda *args, **kwargs: seen.append("before"))
    scale[(2,)](x, out, 100)
    scale.pre_run_hooks.clear()
    assert seen == ["scale", "before"]
    assert binder.times == 3


def test_hook_in_replaced_settings(binder: Binder, monkeypatch: pytest.MonkeyPatch) -> None:
    x, out = torch.randn(2, 100)
    seen: list[str] = []
    for _ in range(2):
        scale[(2,)](x, out, 100)
    # As Triton's own tests do.
    fresh = knobs.runtime.copy().reset()
    fresh.launch_enter_hook = lambda metadata: seen.append(metadata.get()["name"])
    monkeypatch.setattr(knobs, "runtime", fresh)
    scale[(2,)](x, out, 100)
    assert seen == ["scale"]
    assert binder.times == 2


def test_unread_settings_do_not_disable_the_cache(binder: Binder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(vars(knobs.runtime), "kernel_load_end_hook", None)
    monkeypatch.setitem(vars(knobs.compilation), "always_compile", False)
    x, out = torch.randn(2, 100)
    for _ in range(3):
        scale[(2,)](x, out, 100)
    assert binder.times == 1


def test_defaults_are_read_at_each_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    sets = {"runtime": type(knobs.runtime)(), "compilation": type(knobs.compilation)()}
    nothing_set = cached_launch._empty_settings(sets)
    assert nothing_set is not None
    assert not any(map(len, nothing_set))
    monkeypatch.setattr(type(knobs.runtime), "debug", True)  # TRITON_DEBUG=1
    assert cached_launch._empty_settings(sets) is None
    monkeypatch.delattr(type(knobs.runtime), "debug")  # In a Triton that stores it elsewhere.
    assert cached_launch._empty_settings(sets) is None


def test_settings_are_dicts_and_lists() -> None:
    for wrong in ([], (1,), "empty"):
        with pytest.raises(TypeError, match="what is untouched is a tuple of dicts and lists, or None"):
            _runtime.Shortcuts(print, KeyError, knobs, (), (), wrong, None)  # type: ignore[arg-type]


def test_the_environment_for_debugging_is_seen(binder: Binder, monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.zeros(50)
    for _ in range(2):
        checked[(1,)](x, 50, BLOCK=64)
    x[3] = -1
    monkeypatch.setattr(knobs.runtime, "debug", True)
    with pytest.raises(blockdsl.errors.KernelAssertionError, match="x is negative"):
        checked[(1,)](x, 50, BLOCK=64)


def test_launch_resolves_attributes_when_called(binder: Binder) -> None:
    x, out = torch.randn(2, 100)
    launch = scale[(2,)]
    for _ in range(2):
        launch(x, out, 100)
    assert binder.times == 1
    seen: list[str] = []
    scale.add_pre_run_hook(lambda *args, **kwargs: seen.append("before"))
    launch(x, out, 100)
    scale.pre_run_hooks.clear()
    assert seen == ["before"]
    assert scale.__getitem__((2,))(x, out, 100) is launch(x, out, 100)


def test_patched_run_is_called(binder: Binder, monkeypatch: pytest.MonkeyPatch) -> None:
    x, out = torch.randn(2, 100)
    for _ in range(2):
        scale[(2,)](x, out, 100)
    run, seen = jit.JITFunction.run, []

    def watched(self: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append(kwargs["grid"])
        return run(self, *args, **kwargs)

    monkeypatch.setattr(jit.JITFunction, "run", watched)
    out.zero_()
    scale[(2,)](x, out, n=100)
    assert seen == [(2,)]
    assert torch.equal(out, 2 * x)
    monkeypatch.undo()
    monkeypatch.setattr(scale, "run", lambda *args, **kwargs: "mine", raising=False)
    assert scale[(2,)](x, out, 100) == "mine"


def test_patched_subscript_is_called(binder: Binder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Triton's `compile_warmup_only` replaces that of the base class, and so may profilers."""
    x, out = torch.randn(2, 100)
    tuned = triton.autotune([triton.Config({})], key=["n"])(scale)
    for each in (scale, tuned):
        for _ in range(2):
            each[(2,)](x, out, 100)
    own, seen = jit.KernelInterface.__getitem__, []

    def watched(self: Any, grid: Any) -> Any:
        seen.append((self, grid))
        return own(self, grid)

    monkeypatch.setattr(jit.KernelInterface, "__getitem__", watched)
    for each in (scale, tuned):
        out.zero_()
        each[(2,)](x, out, 100)
        assert torch.equal(out, 2 * x)
    assert seen == [(scale, (2,)), (tuned, (2,))]

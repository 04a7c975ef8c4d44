"""Hooks around launches and compilations, as Triton calls them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import knobs
from blockdsl.backends import nvidia
from blockdsl.errors import KernelAssertionError, LaunchError, TargetError, TypeMismatchError
from blockdsl.interpreted import InterpretedFunction
from blockdsl.jit import JITFunction
from blockdsl.knobs import HookChain


def _told(grid: Any, metadata: Any, arguments: Any) -> dict[str, Any]:
    return {"grid": grid, "flops": 2 * arguments["n"], "called": metadata.name, "block": arguments["BLOCK"]}


def make() -> JITFunction:
    """Returns a kernel that is not compiled yet."""

    @blockdsl.jit(launch_metadata=_told)
    def doubled(x_ptr, n, BLOCK: tl.constexpr = 8):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n)
        tl.device_assert(x >= 0, "negative")
        tl.store(x_ptr + at, 2 * x, mask=at < n)

    return doubled


@pytest.fixture
def events() -> Iterator[list[Any]]:
    """Records the messages of hooks; hooks that a test sets are removed after it."""
    with knobs.runtime.scope():
        knobs.runtime.launch_enter_hook = HookChain()
        knobs.runtime.launch_exit_hook = HookChain(reversed=True)
        yield []


def test_hooks_around_a_launch(events: list[Any]) -> None:
    x = torch.ones(8)
    knobs.runtime.launch_enter_hook.add(lambda metadata: events.append(("in", x[0].item(), metadata.get()["name"])))
    knobs.runtime.launch_exit_hook.add(lambda metadata: events.append(("out", x[0].item(), metadata.get())))
    kernel = make()
    compiled = kernel[(2,)](x, 8, BLOCK=4)
    assert events[0] == ("in", 1.0, "doubled")
    assert events[1][:2] == ("out", 2.0)
    assert events[1][2] == {"name": "doubled", "function": compiled, "stream": 0, "grid": (2, 1, 1), "flops": 16,
                          "called": "doubled", "block": 4}  # fmt: skip
    events.clear()
    compiled[(2,)](x, 8)
    kernel[lambda meta: (meta["n"] // 4, 0)](x, 8, BLOCK=4)
    kernel.warmup(x, 8, BLOCK=4, grid=(1,))
    # Also over a grid without programs, but not if nothing is launched.
    assert [each[:2] for each in events] == [("in", 2.0), ("out", 4.0), ("in", 4.0), ("out", 4.0)]


def test_the_order_of_hooks(events: list[Any]) -> None:
    first, second = (lambda _, n=n: events.append(n) for n in (1, 2))
    for chain in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
        for hook in (first, second, first):
            chain.add(hook)
    kernel, x = make(), torch.ones(8)
    kernel[(1,)](x, 8)
    assert events == [1, 2, 2, 1]
    knobs.runtime.launch_enter_hook.remove(first)
    knobs.runtime.launch_exit_hook.calls.clear()
    kernel[(1,)](x, 8)
    assert events[4:] == [2]


def test_a_plain_function_and_none_as_hooks(events: list[Any]) -> None:
    kernel, x = make(), torch.ones(8)
    kernel[(1,)](x, 8)
    knobs.runtime.launch_enter_hook = lambda metadata: events.append(metadata.get()["grid"])
    knobs.runtime.launch_exit_hook = None
    kernel[(1,)](x, 8)
    knobs.runtime.launch_enter_hook = None
    kernel[(1,)](x, 8)
    del knobs.runtime.launch_enter_hook
    knobs.runtime.launch_enter_hook.add(lambda metadata: events.append(metadata))
    kernel[(1,)](x, 8)
    assert events[0] == (1, 1, 1)
    assert len(events) == 2
    with pytest.raises(TargetError, match=r"knobs\.runtime\.launch_exit_hook is a function or None, got 3"):
        knobs.runtime.launch_exit_hook = 3


def test_a_hook_that_raises_and_a_launch_that_fails(events: list[Any]) -> None:
    kernel, x = make(), torch.ones(8)
    kernel[(1,)](x, 8)
    knobs.runtime.launch_exit_hook.add(events.append)
    with pytest.raises(KernelAssertionError, match="negative"):
        kernel[(1,)](-x, 8)
    assert events == []

    def refuse(metadata: Any) -> None:
        raise ValueError(metadata.get()["name"])

    knobs.runtime.launch_enter_hook.add(refuse)
    with pytest.raises(ValueError, match="doubled"):
        kernel[(1,)](x, 8)
    assert x.tolist() == [2.0] * 8
    knobs.runtime.launch_enter_hook.remove(refuse)
    kernel[(1,)](x, 8)
    assert (x.tolist(), len(events)) == ([4.0] * 8, 1)


@pytest.mark.parametrize("interpreted", [False, True])
def test_hooks_before_the_launches_of_one_kernel(interpreted: bool, events: list[Any]) -> None:
    kernel: Any = InterpretedFunction(make().fn) if interpreted else make()
    x = torch.ones(8)
    kernel.add_pre_run_hook(lambda *args, **kwargs: events.append((args[0][0].item(), len(args), kwargs)))
    kernel[(1,)](x, 8, BLOCK=8)
    kernel[(1,)](x, n=8)
    assert events == [(1.0, 2, {"BLOCK": 8}), (2.0, 1, {"n": 8})]
    assert len(kernel.pre_run_hooks) == 1
    kernel.pre_run_hooks.clear()
    kernel[(1,)](x, 8)
    assert len(events) == 2
    with pytest.raises(LaunchError, match="a hook is a function, got 3"):
        kernel.add_pre_run_hook(3)


def test_a_tuned_kernel_calls_the_hooks_of_the_kernel(events: list[Any]) -> None:
    kernel = make()
    kernel.add_pre_run_hook(lambda *args, **kwargs: events.append(kwargs["BLOCK"]))
    tuned = blockdsl.autotune([blockdsl.Config({"BLOCK": 4})], key=["n"])(kernel)
    tuned[(2,)](torch.ones(8), 8)
    assert events == [4]


def test_launches_of_a_graph_are_watched_when_it_runs(events: list[Any]) -> None:
    kernel, x = make(), torch.ones(8)
    kernel.add_pre_run_hook(lambda *args, **kwargs: events.append(args[0].shape))

    @torch.compile(backend="eager")
    def program(x: Any) -> Any:
        kernel[(1,)](x, 8)
        return x

    assert program(x).tolist() == [2.0] * 8
    assert program(x).tolist() == [4.0] * 8
    assert events == [torch.Size([8])] * 2


def test_hooks_around_compilations(events: list[Any]) -> None:
    knobs.runtime.jit_cache_hook = lambda **info: events.append(("before", info))
    knobs.runtime.jit_post_compile_hook = lambda **info: events.append(("after", info))
    kernel, x = make(), torch.ones(8)
    kernel[(1,)](x, 8)
    kernel[(1,)](x, 8)
    assert [when for when, _ in events] == ["before", "after"]
    info = events[0][1]
    assert info["fn"].jit_function is kernel
    assert (info["fn"].name, info["fn"].module) == ("make.<locals>.doubled", __name__)
    assert info["repr"] == (
        "make.<locals>.doubled[num_warps=4, num_ctas=1, num_stages=3, enable_fp_fusion=True, "
        "launch_cooperative_grid=False](x_ptr: *fp32, n: i32, BLOCK: constexpr)"
    )
    assert (info["is_manual_warmup"], info["already_compiled"]) == (False, False)
    assert info["key"] == info["compile"]["key"]
    assert info["compile"]["signature"] == {"x_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    assert info["compile"]["constants"] == {(2,): 8}
    assert info["compile"]["configs"] == [{(0,): [["tt.divisibility", 16]]}]
    kernel.warmup(torch.float16, 8, grid=(1,))
    assert [each["is_manual_warmup"] for _, each in events] == [False, False, True, True]


def test_a_hook_that_wants_no_kernel(events: list[Any]) -> None:
    kernel, x = make(), torch.ones(8)
    knobs.runtime.jit_cache_hook = lambda **info: True
    knobs.runtime.jit_post_compile_hook = lambda **info: events.append(info)
    assert kernel[(1,)](x, 8) is None
    assert kernel.warmup(x, 8, grid=(1,)) is None
    assert kernel.warmup(x, 8, grid=(1,), target="cuda:90") is None
    assert (x.tolist(), events) == ([1.0] * 8, [])
    knobs.runtime.jit_cache_hook = lambda **info: False
    assert kernel[(1,)](x, 8).name == "doubled"
    assert (x.tolist(), len(events)) == ([2.0] * 8, 1)


def test_hooks_at_locations_of_older_triton(events: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JITFunction, "cache_hook", lambda **info: events.append("cache"), raising=False)
    monkeypatch.setattr(JITFunction, "compiled_hook", lambda **info: events.append("compiled"), raising=False)
    make()[(1,)](torch.ones(8), 8)
    assert events == ["cache", "compiled"]


def test_a_kernel_is_preloaded(events: list[Any]) -> None:
    knobs.runtime.jit_cache_hook = lambda **info: events.append(info["compile"]["specialization_data"])
    make().warmup(torch.float32, 16, BLOCK=16, grid=(1,))
    kernel, x = make(), torch.ones(16)
    assert kernel.preload(events[0]).signature.constants == {"BLOCK": 16}
    kernel[(1,)](x, 16, BLOCK=16)
    assert (x.tolist(), len(events)) == ([2.0] * 16, 2)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ("no json", "preload of kernel '.*' expects the specialization_data that a hook was given, got 'no json'"),
        ({"name": "other"}, "the specialization_data is of kernel 'other', and not of '.*doubled'"),
        ({"signature": {"x_ptr[0]": "i32"}},
         "kernel '.*doubled' was compiled for a tuple, which specialization_data cannot hold"),
        ({"constants": {"BLOCK": {"object": "m:f"}}},
         "argument 'BLOCK' of kernel '.*doubled' is 'm:f', which specialization_data cannot hold"),
    ],
)  # fmt: skip
def test_refused_preloads(changed: Any, message: str, events: list[Any]) -> None:
    knobs.runtime.jit_cache_hook = lambda **info: events.append(info["compile"]["specialization_data"])
    make().warmup(torch.float32, 16, BLOCK=16, grid=(1,))
    text = changed if isinstance(changed, str) else json.dumps({**json.loads(events[0]), **changed})
    for kernel in (make(), InterpretedFunction(make().fn)):
        with pytest.raises(LaunchError, match=message):
            kernel.preload(text)


def test_hooks_of_compilations_in_threads() -> None:
    kernel, x = make(), torch.ones(16)
    with ThreadPoolExecutor(2) as pool, blockdsl.AsyncCompileMode(pool) as mode:
        kernels = [kernel.warmup(x, 16, BLOCK=block, grid=(1,)) for block in (4, 8, 16, 4)]
        assert kernels[0] is kernels[3]
        assert all(isinstance(each, blockdsl.FutureKernel) for each in kernels)
        with pytest.raises(LaunchError, match="an AsyncCompileMode is active already"), mode:
            pass
    assert [each.signature.constants["BLOCK"] for each in kernels[:3]] == [4, 8, 16]
    kernels[2][(1,)](x, 16)
    assert x.tolist() == [2.0] * 16
    assert isinstance(kernel.warmup(x, 16, BLOCK=4, grid=(1,)), blockdsl.CompiledKernel)


def test_error_in_a_thread_is_raised_at_the_end() -> None:
    kernel = make()
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(TypeMismatchError, match="power of two"),
        blockdsl.AsyncCompileMode(pool),
    ):
        kernel.warmup(torch.float32, 16, BLOCK=3, grid=(1,))
    with ThreadPoolExecutor(1) as pool, blockdsl.AsyncCompileMode(pool, ignore_errors=True):
        future = kernel.warmup(torch.float32, 16, BLOCK=3, grid=(1,))
    assert future.result(ignore_errors=True) is None


def test_settings_by_triton_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLOCKDSL_CACHE_DIR", "/somewhere")
    assert knobs.cache.dir == "/somewhere"
    with knobs.cache.scope(), knobs.autotuning.scope(), knobs.compilation.scope():
        knobs.cache.dir = "/elsewhere"
        knobs.autotuning.print = True
        knobs.compilation.always_compile = True
        knobs.compilation.dump_ir = True
        assert str(knobs.CACHE_DIR.get()) == "/elsewhere"
        assert knobs.PRINT_AUTOTUNING.get()
        assert knobs.TRITON_ALWAYS_COMPILE.get()
        assert knobs.TRITON_KERNEL_DUMP.get()
        del knobs.autotuning.print
        assert not knobs.autotuning.print
    assert (knobs.cache.dir, knobs.compilation.dump_ir) == ("/somewhere", False)
    assert "print" in dir(knobs.autotuning)


def test_settings_without_effect() -> None:
    with pytest.raises(TargetError, match=r"knobs\.amd\.use_buffer_ops means nothing here") as got:
        knobs.amd.use_buffer_ops = False
    assert got.value.hint == "knobs.amd has nothing; `python -m blockdsl env` lists every setting"
    with pytest.raises(TargetError, match=r"knobs\.proton\.disable means nothing here"):
        del knobs.proton.disable
    with pytest.raises(AttributeError, match=r"knobs.autotuning has no 'report'; it has cache, listener, print"):
        _ = knobs.autotuning.report


def test_settings_with_one_value() -> None:
    assert knobs.runtime.override_arch is None
    assert knobs.compilation.knobs["enable_asan"] is False
    knobs.compilation.enable_asan = False
    with pytest.raises(
        TargetError, match=r"knobs.runtime.override_arch is None here and cannot be another, got 'sm90'"
    ):
        knobs.runtime.override_arch = "sm90"


def test_settings_of_the_compiler_for_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PTXAS_OPTIONS", raising=False)
    before = nvidia.toolchain().identity
    with knobs.nvidia.scope():
        knobs.nvidia.ptxas_options = "-O1"
        knobs.nvidia.dump_nvptx = True
        # It runs in a process that was started with the hooks, and its code has a key of its own.
        assert {"PTXAS_OPTIONS=-O1", "NVPTX_ENABLE_DUMP=1"} <= set(nvidia.toolchain().identity)
        knobs.nvidia.ptxas_options = None
        knobs.nvidia.reset()
        assert nvidia.toolchain().identity == before
    assert (knobs.nvidia.ptxas_options, knobs.nvidia.dump_nvptx) == (None, False)
    assert knobs.nvidia.ptxas.version.count(".") == 1
    monkeypatch.setenv("TRITON_PTXAS_PATH", "/nowhere/ptxas")
    assert knobs.nvidia.ptxas.path.endswith("/bin/ptxas")
    monkeypatch.setitem(sys.modules, "triton", None)
    with pytest.raises((TargetError, ValueError)):
        _ = knobs.nvidia.ptxas

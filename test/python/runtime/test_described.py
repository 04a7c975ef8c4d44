"""Tests of the introspection of kernels and of compiled kernels."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.interpreted import InterpretedFunction
from blockdsl.language.target_info import CPU
from blockdsl.runtime import JITFunction


@blockdsl.jit
def doubled(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) * 2, mask=at < n)


@blockdsl.jit(do_not_specialize=["n"], do_not_specialize_on_alignment=[0])
def described(x_ptr, n, BLOCK: tl.constexpr = 4):
    # Comments are included.
    tl.store(x_ptr, n)


@pytest.mark.parametrize("interpreted", [False, True])
def test_kernel_introspection(interpreted: bool) -> None:
    kernel: Any = InterpretedFunction(described.fn, ["n"], [0]) if interpreted else described
    assert kernel.src.startswith("def described(x_ptr, n, BLOCK: tl.constexpr = 4):\n    # Comments are included.")
    assert list(kernel.signature.parameters) == ["x_ptr", "n", "BLOCK"]
    assert kernel.__globals__ is globals()
    assert (kernel.cache_key, kernel.constexprs) == (described.source.cache_key, [2])
    fields = [(p.num, p.name, p.is_constexpr, p.do_not_specialize, p.do_not_specialize_on_alignment, p.has_default)
            for p in kernel.params]  # fmt: skip
    assert fields == [
        (0, "x_ptr", False, False, True, False),
        (1, "n", False, True, False, False),
        (2, "BLOCK", True, False, False, True),
    ]
    assert kernel.params[2].default == 4


def test_compiled_kernel_introspection() -> None:
    x, y = torch.ones(8), torch.ones(8)
    compiled = doubled[(1,)](x, 8, BLOCK=8)
    other = doubled.warmup(x, 8, BLOCK=16, grid=(1,))
    other._init_handles()
    assert compiled.hash != other.hash
    assert compiled.hash == doubled[(1,)](y, 8, BLOCK=8).hash
    assert (compiled.n_regs, compiled.n_spills, compiled.n_max_threads) in ((16, 0, 1), (32, 0, 1))
    assert (compiled.packed_metadata, compiled.metadata.target) == ((4, 1, 1), CPU)
    assert compiled.src.fn is doubled
    assert (compiled.src.signature, compiled.src.constants) == (
        {"x_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}, {(2,): 8}
    )  # fmt: skip
    assert doubled.hash == doubled.cache_key
    assert compiled.metadata.name == compiled.metadata["name"] == compiled.name == "doubled"
    assert (compiled.metadata.num_warps, compiled.metadata.num_stages, compiled.metadata.shared) == (4, 3, 1)
    assert compiled.metadata._asdict() == dict(compiled.metadata)
    with pytest.raises(AttributeError, match="the metadata of a kernel have no 'cluster'"):
        _ = compiled.metadata.cluster
    assert (compiled.metadata.hash, compiled.metadata._fields) == (compiled.hash, tuple(compiled.metadata))
    renamed = compiled.metadata._replace(name="tripled")
    assert (renamed.name, compiled.metadata.name, renamed.shared) == ("tripled", "doubled", 1)
    with pytest.raises(ValueError, match="the metadata of a kernel have no 'cluster'"):
        compiled.metadata._replace(cluster=1)
    other[(1,)](x, 8)
    assert x.tolist() == [4.0] * 8


def test_kernel_is_copied_and_pickled_like_a_function() -> None:
    for kernel in (doubled, InterpretedFunction(doubled.fn)):
        assert copy.copy(kernel) is copy.deepcopy(kernel) is kernel
    assert pickle.loads(pickle.dumps([doubled, doubled]))[0] is doubled
    inner = blockdsl.jit(doubled.fn)
    with pytest.raises(pickle.PicklingError, match="not the same object"):
        pickle.dumps(inner)


FACTOR: tl.constexpr = tl.constexpr(3)


@blockdsl.jit(version=7, noinline=True, debug=True)
def scaled(x_ptr):
    doubled_there(x_ptr)
    tl.store(x_ptr, tl.load(x_ptr) * FACTOR)


@blockdsl.jit
def doubled_there(x_ptr):
    tl.store(x_ptr, tl.load(x_ptr) * 2)


def test_jit_options() -> None:
    assert (scaled.version, scaled.noinline, scaled.debug, scaled.launch_metadata) == (7, True, True, None)
    assert (described.do_not_specialize, described.do_not_specialize_on_alignment) == (["n"], [0])
    assert (scaled.repr(None), blockdsl.jit(repr=str)(scaled.fn).repr("this")) == ("scaled", "this")
    assert (scaled.file_name, scaled.def_file_col_number) == (__file__, 0)
    assert scaled.def_file_line_number == scaled.starting_line_number + 1
    used = {name: (value, names) for (name, _), (value, names) in scaled.used_global_vals.items()}
    assert used == {"FACTOR": (FACTOR, globals()), "doubled_there": (doubled_there, globals())}
    assert scaled.get_capture_scope()["FACTOR"] is FACTOR


@pytest.mark.parametrize("kind", [JITFunction, InterpretedFunction])
def test_kernel_source_location(kind: Any) -> None:
    kernel = kind(doubled.fn)
    assert kernel.module == __name__
    assert kernel.raw_src[0] == "@blockdsl.jit\n"
    assert "".join(kernel.raw_src[1:]) == kernel.src
    assert kernel.starting_line_number == doubled.fn.__code__.co_firstlineno

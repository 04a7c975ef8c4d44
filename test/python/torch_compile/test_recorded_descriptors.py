"""Tensor descriptors as arguments of kernels within graphs of torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import graphs_compared as compared
import numpy as np
import pytest
import torch
from torch._dynamo.utils import counters
from torch._inductor import config
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing import assert_close

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import LaunchError
from blockdsl.interpreted import InterpretedFunction
from blockdsl.tools.tensor_descriptor import TensorDescriptor
from blockdsl.torch_compile import operator

described = TensorDescriptor.from_tensor


@blockdsl.jit
def halved(x, out, n):
    for at in range(0, n, 16):
        out.store([at], x.load([at]) / 2)


@blockdsl.jit
def incremented(x, n, BLOCK: tl.constexpr = 16):
    for at in range(0, n, BLOCK):
        x.store([at], x.load([at]) + 1)


@blockdsl.jit
def added_up(matrix, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    tile = matrix.load([tl.program_id(0) * ROWS, 0])
    total = tl.sum(tl.where(tile == tile, tile, 100.0), 1)
    tl.store(out_ptr + tl.program_id(0) * ROWS + tl.arange(0, ROWS), total)


@blockdsl.jit
def both(pair, n):
    for at in range(0, n, 16):
        pair[1].store([at], pair[0].load([at]) * 3)


def _of_that_size(arguments: dict[str, Any]) -> None:
    arguments["x"].block_shape = arguments["out"].block_shape = [arguments["BLOCK"]]


@blockdsl.autotune([blockdsl.Config({"BLOCK": size}, pre_hook=_of_that_size) for size in (16, 32)], key=["n"])
@blockdsl.jit
def tuned(x, out, n, BLOCK: tl.constexpr):
    for at in range(0, n, BLOCK):
        out.store([at], x.load([at]) / 2)


def read_and_written(x: torch.Tensor) -> torch.Tensor:
    y, out = x.sin(), torch.empty_like(x)
    halved[(1,)](described(y, [16]), described(out, [16]), x.shape[0])
    return out + y


def in_place(x: torch.Tensor) -> torch.Tensor:
    y = 2 * x
    incremented[(1,)](described(y, [16]), y.shape[0])
    z = 2 * y
    incremented[(1,)](described(y, [16]), y.shape[0])
    return y + z


def argument(x: torch.Tensor) -> torch.Tensor:
    incremented[(1,)](described(x, [16]), x.shape[0])
    return x.sum()


def part_of_an_argument(x: torch.Tensor) -> torch.Tensor:
    incremented[(1,)](described(x[4:12], [16]), 8)
    return 2 * x


def more_than_its_base(x: torch.Tensor) -> torch.Tensor:
    y = x.sin()
    incremented[(1,)](TensorDescriptor(y[4:5], [12], [1], [16]), 12)
    out = torch.zeros_like(x)
    halved[(1,)](TensorDescriptor(y[:1], [16], [1], [16]), TensorDescriptor(out[4:5], [16], [1], [16]), 16)
    return out


def two_of_one_array(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    halved[(1,)](described(y, [16]), described(y, [16]), x.shape[0])
    return y


def overlapping(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    # Each load reads the block of the previous store.
    halved[(1,)](TensorDescriptor(y, [16], [1], [4]), TensorDescriptor(y[4:], [16], [1], [4]), 1)
    return y


def matrix_with_an_edge(x: torch.Tensor) -> torch.Tensor:
    y = x.cos().repeat(8, 1)[:, :20].contiguous()[:, :13]
    out = torch.empty(8)
    added_up[(2,)](described(y, [4, 16], padding="nan"), out, ROWS=4, COLUMNS=16)
    return out


def in_a_tuple(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(x)
    both[(1,)]((described(x, [16]), described(out, [16])), x.shape[0])
    return out


def tuned_by_blocks(x: torch.Tensor) -> torch.Tensor:
    y, out = x.clone(), torch.zeros_like(x)
    tuned[(1,)](described(y, [16]), described(out, [16]), y.shape[0])
    return 2 * out


CASES: list[Callable[[torch.Tensor], Any]] = [
    read_and_written, in_place, argument, part_of_an_argument, more_than_its_base, two_of_one_array, overlapping,
    matrix_with_an_edge, in_a_tuple, tuned_by_blocks,
]  # fmt: skip


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "blockdsl"])
@pytest.mark.parametrize("function", CASES)
def test_graph_matches_eager_launches(function: Callable[[torch.Tensor], Any], backend: str) -> None:
    compared.check(function, backend)


def test_graph_of_cpp_backend_matches_eager_launches() -> None:
    with config.patch("cpp_cache_precompile_headers", False):
        compared.check(more_than_its_base, "inductor")


def test_shapes_that_change_are_one_graph() -> None:
    counters.clear()
    compiled = torch.compile(in_place, backend="aot_eager", fullgraph=True, dynamic=True)
    for size in (20, 33, 1000):
        x = torch.randn(size)
        assert_close(compiled(x), in_place(x))
    assert counters["stats"]["unique_graphs"] == 1


def test_only_stored_tensors_are_mutated() -> None:
    graph = make_fx(read_and_written, tracing_mode="fake")(torch.randn(20))
    (node,) = [node for node in graph.graph.nodes if node.target is operator.launch]
    assert (len(node.args[2]), len(node.args[3])) == (1, 1)


@pytest.mark.parametrize("mode", ["fake", "symbolic"])
@pytest.mark.parametrize("function", [in_place, tuned_by_blocks])
def test_tracers_that_call_python(function: Callable[[torch.Tensor], Any], mode: str) -> None:
    x = torch.randn(50)
    assert_close(make_fx(function, tracing_mode=mode)(x)(x), function(x))


def test_a_kernel_that_is_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "incremented", InterpretedFunction(incremented.fn))
    x = torch.randn(20)
    for traced in (
        torch.compile(in_place, backend="aot_eager", fullgraph=True),
        make_fx(in_place, tracing_mode="fake")(x),
    ):
        assert_close(traced(x), 4 * x + 2 + 2 * x + 2)


@pytest.mark.parametrize("strict", [True, False])
def test_an_exported_program(strict: bool) -> None:
    class Module(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return read_and_written(x)

    size = torch.export.Dim("size", min=20, max=4096)
    program = torch.export.export(Module(), (torch.randn(32),), dynamic_shapes=({0: size},), strict=strict)
    x = torch.randn(100)
    assert_close(program.module()(x), read_and_written(x))


def test_descriptors_created_before_the_graph() -> None:
    memory, out = torch.randn(32), torch.empty(32)

    def function(x: TensorDescriptor, y: TensorDescriptor) -> torch.Tensor:
        halved[(1,)](x, y, 32)
        return y.base + 1

    compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
    assert_close(compiled(described(memory, [16]), described(out, [16])), memory / 2 + 1)
    assert_close(out, memory / 2)


def test_a_descriptor_of_tritons_class() -> None:
    from triton.tools.tensor_descriptor import TensorDescriptor as Theirs

    memory, out = torch.randn(32), torch.empty(32)
    x, y = Theirs.from_tensor(memory, [16]), Theirs.from_tensor(out, [16])
    torch.compile(lambda: halved[(1,)](x, y, 32), backend="aot_eager", fullgraph=True)()
    assert_close(out, memory / 2)


def test_an_array_of_numpy() -> None:
    def function(x: np.ndarray) -> np.ndarray:
        out = np.empty_like(x)
        halved[(1,)](TensorDescriptor(x, [32], [1], [16]), TensorDescriptor(out, [32], [1], [16]), 32)
        return out + 1

    x = np.arange(32, dtype=np.float32)
    np.testing.assert_allclose(torch.compile(function, backend="aot_eager", fullgraph=True)(x), x / 2 + 1)


# Errors


def test_a_base_that_begins_elsewhere_is_refused_when_the_graph_runs() -> None:
    compiled = torch.compile(lambda x: incremented[(1,)](described(x[1:], [16]), 8), backend="eager", fullgraph=True)
    with pytest.raises(LaunchError, match="a tensor descriptor's base is divisible by 16, got address"):
        compiled(torch.zeros(20))


def test_a_descriptor_that_no_launch_takes_is_refused_when_it_is_made() -> None:
    compiled = torch.compile(lambda x: incremented[(1,)](described(x, [12]), 8), backend="eager", fullgraph=True)
    with pytest.raises(Exception, match="a block's extents must be powers of two, got 12"):
        compiled(torch.zeros(20))

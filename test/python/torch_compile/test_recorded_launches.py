"""Tests of kernels of ``@blockdsl.jit`` within graphs of torch: each launch is one operator, with any backend."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import graphs_compared as compared
import numpy as np
import pytest
import recorded_kernels as kernels
import torch
from torch._dynamo.utils import counters
from torch._inductor import config
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing import assert_close

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import KernelSyntaxError, LaunchError
from blockdsl.interpreted import InterpretedFunction
from blockdsl.torch_compile import graph_capture, launch_schema, names, operator
from blockdsl.torch_compile.functionalization import together

programs = kernels.programs


def scale(x: torch.Tensor, factor: float) -> torch.Tensor:
    out = torch.zeros_like(x)
    kernels.scaled[programs(x)](x, out, x.numel(), factor, BLOCK=4)
    return out.cos()


def in_place(x: torch.Tensor) -> torch.Tensor:
    y = 2 * x
    kernels.increment[programs(y)](y, y.numel(), BLOCK=64)
    z = 2 * y
    kernels.increment[programs(y)](y, y.numel(), BLOCK=64)
    return y + z


def argument(x: torch.Tensor) -> torch.Tensor:
    kernels.increment[programs(x)](x, x.numel(), BLOCK=64)
    return x.sum()


def view_of_argument(x: torch.Tensor) -> torch.Tensor:
    kernels.increment[1, 1](x[5:15], 10, BLOCK=64)
    return x.sum()


def views(x: torch.Tensor) -> tuple[torch.Tensor, ...]:
    y = x.clone()
    before, after = y[5:15], y[10:20]
    kernels.increment[(1,)](before, 10, BLOCK=64)
    kernels.increment[(1,)](after, 10, BLOCK=64)
    return y, 2 * before


def one_tensor_read_and_written(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    kernels.powers[(1,)](y, y, y.numel())
    return y


def views_read_and_written(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    kernels.powers[(1,)](y[0:8], y[1:9], 8)
    return y


def tuned(x: torch.Tensor) -> torch.Tensor:
    out = torch.zeros_like(x)
    kernels.doubled[programs(x)](x, out, n=x.numel())
    return out + 1


def tuned_in_place(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    kernels.increment_tuned[programs(y)](y, y.numel())
    return 2 * y


def any_number_of_arguments(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    kernels.sum_tuned[lambda meta: (blockdsl.cdiv(meta["rows"][0].shape[0], meta["BLOCK"]),)](out, x.numel(), x, x + 1)
    return out


def tuples_functions_and_types(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    kernels.applied[programs(x)]((x, out), x.numel(), FUNCTION=kernels.relu)
    return out


def of_several(x: torch.Tensor) -> torch.Tensor:
    for name in ("scaled", "scaled", "doubled"):
        out = torch.empty_like(x)
        more = (x.numel(), 0.5) if name == "scaled" else (x.numel(),)
        options = {"BLOCK": 64, "num_warps": 2} if name == "scaled" else {}
        getattr(kernels, name)[programs(x)](x, out, *more, **options)
        x = out
    return x


def by_run(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    kernels.scaled.run(x, out, x.numel(), 2.0, BLOCK=64, grid=programs(x))
    return out


def a_constant_from_a_shape(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    block = blockdsl.next_power_of_2(x.shape[0])
    kernels.scaled[(1,)](x, out, x.numel(), 2.0, BLOCK=block)
    return out


def columns_of_a_computed_matrix(x: torch.Tensor) -> torch.Tensor:
    y = x.expand(7, x.shape[0]).sin()[:, :10]
    out = torch.empty(7, 10)
    kernels.rows[(7,)](y, out, y.stride(0), 10, BLOCK=16)
    return out + y


def rows_that_are_one(x: torch.Tensor) -> torch.Tensor:
    y = x.sin().expand(7, x.shape[0])
    out = torch.empty(7, x.shape[0])
    kernels.rows[(7,)](y, out, y.stride(0), x.shape[0], BLOCK=64)
    return out


CASES: list[Callable[[torch.Tensor], Any]] = [
    in_place, argument, view_of_argument, views, one_tensor_read_and_written, views_read_and_written, tuned,
    tuned_in_place, any_number_of_arguments, tuples_functions_and_types, of_several, by_run, a_constant_from_a_shape,
    columns_of_a_computed_matrix, rows_that_are_one, lambda x: scale(x, 2.5),
]  # fmt: skip


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "blockdsl"])
@pytest.mark.parametrize("function", CASES)
def test_graph_matches_eager_launches(function: Callable[[torch.Tensor], Any], backend: str) -> None:
    compared.check(function, backend)


def test_graph_of_cpp_backend_matches_eager_launches() -> None:
    # Precompiling headers takes longer than a kernel, and every test has a cache of its own.
    with config.patch("cpp_cache_precompile_headers", False):
        compiled = torch.compile(in_place, backend="inductor", fullgraph=True, dynamic=True)
        x = torch.randn(33)
        assert_close(compiled(x), in_place(x))


def test_shapes_that_change_are_one_graph() -> None:
    counters.clear()
    compiled = torch.compile(in_place, backend="aot_eager", fullgraph=True, dynamic=True)
    for size in (20, 33, 1000):
        x = torch.randn(size)
        assert_close(compiled(x), in_place(x))
    assert counters["stats"]["unique_graphs"] == 1


def test_two_arguments_that_are_one_tensor() -> None:
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        kernels.powers[(1,)](x, y, x.numel())
        return y + 1

    compiled = torch.compile(function, backend="aot_eager", fullgraph=True)
    x, y = torch.ones(8), torch.ones(8)
    assert_close(compiled(x, y), torch.tensor([2.0] + 7 * [3.0]))
    assert_close(compiled(x, x), 2.0 ** torch.arange(8) + 1)
    # Parts of one tensor, as two inputs of a graph; torch adds a guard for shared memory only if they overlap.
    torch._dynamo.reset()
    ours, theirs = torch.ones(9), torch.ones(9)
    assert_close(compiled(ours[:8], ours[1:]), function(theirs[:8], theirs[1:]))
    assert_close(ours, theirs)


class Tripled(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        out = torch.empty_like(x)
        kernels.scaled[programs(x)](x, out, x.numel(), 3.0, BLOCK=64)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        gradient = gradient.contiguous()
        out = torch.empty_like(gradient)
        kernels.scaled[programs(gradient)](gradient, out, gradient.numel(), 3.0, BLOCK=64)
        return out


@pytest.mark.parametrize("backend", ["aot_eager", "blockdsl"])
def test_an_autograd_function(backend: str) -> None:
    x = torch.randn(40, requires_grad=True)
    (ours,) = torch.autograd.grad(
        torch.compile(lambda x: Tripled.apply(x.sin()).square().sum(), backend=backend, fullgraph=True)(x), x
    )
    assert_close(ours, 18 * x.sin() * x.cos())


def test_only_stored_tensors_are_mutated() -> None:
    # An operator that writes another tensor may read a leaf that requires a gradient.
    weight = torch.randn(20, requires_grad=True)
    assert_close(torch.compile(scale, backend="aot_eager", fullgraph=True)(weight, 2.0), (2 * weight.detach()).cos())
    graphs: list[torch.fx.GraphModule] = []

    def keep(graph: torch.fx.GraphModule, inputs: list[Any]) -> torch.fx.GraphModule:
        graphs.append(graph)
        return graph

    def function(x: torch.Tensor, y: torch.Tensor, back: bool) -> None:
        kernels.either[(1,)](x, y, back)

    for back in (True, False):
        torch.compile(function, backend=keep, fullgraph=True)(torch.zeros(1), torch.ones(1), back)
    for graph, (written, read) in zip(graphs, (("l_x_", "l_y_"), ("l_y_", "l_x_")), strict=True):
        (node,) = [node for node in graph.graph.nodes if node.target is operator.launch]
        assert [each.name for each in node.args[2]] == [written]
        assert [each.name for each in node.args[3]] == [read]


def test_another_kernel_of_that_name_is_another_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = torch.compile(by_run, backend="eager", fullgraph=True)
    x = torch.randn(10)
    assert_close(compiled(x), 2 * x)

    @blockdsl.jit
    def scaled(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out_ptr + at, factor + tl.load(x_ptr + at, mask=at < n), mask=at < n)

    monkeypatch.setattr(kernels, "scaled", scaled)
    assert_close(compiled(x), 2 + x)


def test_numpy_arrays() -> None:
    def function(x: np.ndarray) -> np.ndarray:
        out = np.empty_like(x)
        kernels.scaled[(1,)](x, out, 10, 3.0, BLOCK=16)
        return out + 1

    x = np.arange(10, dtype=np.float32)
    np.testing.assert_allclose(torch.compile(function, backend="aot_eager", fullgraph=True)(x), 3 * x + 1)


def test_kernels_that_are_interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    interpreted = InterpretedFunction(kernels.scaled.fn)
    monkeypatch.setattr(kernels, "scaled", interpreted)
    x = torch.randn(10)
    assert_close(torch.compile(by_run, backend="aot_eager", fullgraph=True)(x), 2 * x)
    assert_close(make_fx(by_run, tracing_mode="fake")(x)(x), 2 * x)


@pytest.mark.parametrize("mode", ["fake", "symbolic"])
def test_tracers_that_call_python(mode: str) -> None:
    x = torch.randn(50)
    graph = make_fx(kernels.Model(), tracing_mode=mode)(x)
    assert [str(node.target) for node in graph.graph.nodes].count("blockdsl.launch.default") == 2
    assert_close(graph(x), 6 * x + 1)


def test_operator_passes_opcheck() -> None:
    x, out = torch.randn(50), torch.empty(50)
    graph = make_fx(by_run, tracing_mode="fake")(x)
    (node,) = [node for node in graph.graph.nodes if node.target is operator.launch]
    kernel, form, written, read, *rest = node.args
    assert (len(written), len(read)) == (1, 1)
    results = torch.library.opcheck(operator.launch, (kernel, form, [out], [x], *rest))
    assert set(results.values()) == {"SUCCESS"}


# Errors


def test_launch_errors_are_raised_when_the_graph_runs() -> None:
    def function(x: torch.Tensor) -> None:
        kernels.scaled[(1,)](x, x, 10, BLOCK=16)

    with pytest.raises(LaunchError, match=r"kernel 'scaled' misses|missing|factor"):
        torch.compile(function, backend="aot_eager", fullgraph=True)(torch.zeros(10))


@blockdsl.jit
def wrong(x_ptr):
    tl.store(x_ptr, undefined)  # noqa: F821


def test_a_kernel_that_does_not_compile_says_so_at_its_line() -> None:
    with pytest.raises(KernelSyntaxError, match="undefined") as raised:
        torch.compile(lambda x: wrong[(1,)](x), backend="aot_eager", fullgraph=True)(torch.zeros(1))
    assert raised.value.location.file == __file__


def test_store_to_read_only_memory() -> None:
    arguments = repr(((("t", 0), ("t", 1), ("c", True)), (), (False, True)))
    x, y = torch.zeros(1), torch.ones(1)
    with pytest.raises(
        LaunchError, match="kernel 'either' stores through 'x_ptr', which was not so when its graph was recorded"
    ):
        operator.launch(names.name_of(kernels.either), arguments, [y], [x], [1, 1], [], [1, 1, 1])


def test_invalid_launch_schemas() -> None:
    with pytest.raises(LaunchError, match="the form of a launch in a graph cannot be read: '1 \\+'"):
        launch_schema.parse_schema("1 +")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "no_such_module:kernel:0",
            "a graph launches kernel 'kernel' of module 'no_such_module', which cannot be imported: No module",
        ),
        (
            "recorded_kernels:absent:0",
            "a graph launches kernel 'absent' of module 'recorded_kernels', which cannot be imported",
        ),
        (
            "recorded_kernels:scaled:0",
            "a graph launches kernel 'scaled' of module 'recorded_kernels', which is another one now",
        ),
    ],
)
def test_kernels_that_are_not_found(name: str, message: str) -> None:
    with pytest.raises(LaunchError, match=message):
        names.resolve(name)


def test_non_kernels_are_not_recorded() -> None:
    with pytest.raises(LaunchError, match="a graph records launches of kernels, got int 3"):
        names.name_of(3)


def test_a_configuration_that_the_graph_does_not_know() -> None:
    grid = operator._chooser(kernels.doubled, [(1, 1, 1), (2, 1, 1)])
    assert grid({"BLOCK": 256}) == (2, 1, 1)
    with pytest.raises(
        LaunchError, match="kernel 'doubled' is launched with a configuration that its graph does not know"
    ):
        grid({"BLOCK": 128})


def test_a_kernels_layers_have_names_of_their_own() -> None:
    layer_names = {names.name_of(kernel) for kernel in (kernels.doubled, kernels.doubled.fn, kernels.doubled.fn.fn)}
    assert len(layer_names) == 3
    for name in layer_names:
        names._objects.pop(name)
        assert names.name_of(names.resolve(name)) == name


def test_tensors_that_share_memory_are_written_together() -> None:
    x, other = torch.zeros(10), torch.zeros(3)
    text = repr(((("t", 0), ("t", 1), ("t", 2)), (), (False, True, False)))
    form, written, read = together(text, [x[1:]], [x[:9], other])
    assert launch_schema.parse_schema(form).stored == (True, True, False)
    assert [each.data_ptr() for each in written] == [x.data_ptr(), x[1:].data_ptr()]
    assert read[0] is other


def test_launches_outside_of_graphs_are_not_recorded() -> None:
    # `kernel[grid]` in C++ stays the launcher's, however often it is used.
    x, out = torch.ones(4), torch.empty(4)

    def refused(*arguments: object) -> None:
        raise AssertionError("a launch was recorded that no graph wants")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(graph_capture, "record", refused)
        for _ in range(100):
            kernels.scaled[(1,)](x, out, 4, 2.0, BLOCK=4)
    assert_close(out, 2 * x)

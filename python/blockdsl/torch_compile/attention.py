"""Triton code for ``flex_attention`` in graphs for a CPU: forward, backward, and for few queries.

Inductor has Triton templates for GPUs, and a C++ template without a gradient for CPUs. With ``cpu_backend="triton"``
the Triton templates are used for CPUs, too.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
from collections.abc import Callable
from typing import Any

import torch

from blockdsl import _runtime, parsing
from blockdsl.torch_compile import backend, versions

NARROWEST = 16
"""The least elements of a row of queries and of values that the templates support."""

TYPES = (torch.float32, torch.bfloat16, torch.float16)


def are_multiplied(*tensors: Any) -> bool:
    """Returns whether the templates support the types and row lengths of ``tensors``."""
    return all(tensor.dtype in TYPES and tensor.size(-1) >= NARROWEST for tensor in tensors)


def splits(programs: int, threads: int) -> int:
    """Returns the number of pieces of the keys, so that few queries give ``threads`` enough programs."""
    return max(1, 2 * threads // max(1, programs))


def backward_blocks(queries: int, keys: int, dtype: torch.dtype) -> dict[str, int]:
    """Returns the block shapes of the gradients, which divide a mask's blocks of ``queries`` by ``keys``; empty if no
    block larger than Inductor's default of 16 x 16 does.

    The default took 1.4 times as long in float32 and 1.8 times in bfloat16, on one thread of an AMD Zen 5.
    """
    narrow, wide = (32, 128) if dtype == torch.float32 else (64, 64)
    wide = min(wide, queries & -queries, keys & -keys)
    narrow = min(narrow, wide)
    return {"BLOCK_M1": narrow, "BLOCK_N1": wide, "BLOCK_M2": wide, "BLOCK_N2": narrow} if narrow > NARROWEST else {}


def _without_branch(function: Callable[..., Any], callee: str) -> Callable[..., Any]:
    """Returns a copy of a function without its ``if`` statement that returns a call of ``callee``."""
    function = inspect.unwrap(function)
    lines, first = inspect.getsourcelines(function)
    tree = parsing.parse("".join(lines))
    (defined,) = tree.body
    assert isinstance(defined, ast.FunctionDef)
    branches = [
        statement
        for statement in defined.body
        if isinstance(statement, ast.If) and f"return {callee}(" in ast.unparse(statement)
    ]
    assert len(branches) == 1, f"{function.__qualname__} has {len(branches)} branches that return {callee}"
    defined.body.remove(branches[0])
    defined.decorator_list.clear()
    names: dict[str, Any] = {}
    exec(compile(ast.increment_lineno(tree, first - 1), inspect.getfile(function), "exec"), function.__globals__, names)  # noqa: S102
    result: Callable[..., Any] = names[defined.name]
    return result


@torch.compiler.assume_constant_result  # type: ignore[untyped-decorator]
def _is_traced_for_us() -> bool:
    """Returns whether Dynamo is tracing the caller for the backend ``blockdsl``."""
    from torch._dynamo.symbolic_convert import tls

    traced = getattr(tls, "current_tx", None)
    if traced is None:
        return False
    compiler = traced.output.compiler_fn
    while compiler is not None and compiler is not backend.compile_graph:
        compiler = getattr(compiler, "compiler_fn", None) or getattr(compiler, "_torchdynamo_orig_backend", None)
    return compiler is not None


@functools.cache
def allow_gradients() -> None:
    """Makes ``flex_attention`` accept CPU tensors that require gradients, and return the log-sum-exp and the maxima of
    the scores, in functions compiled by ``blockdsl``.

    torch rejects both on a CPU before the backend is called.
    """
    if versions.IS_BEFORE_2_13:
        return
    module: Any = importlib.import_module("torch.nn.attention.flex_attention")
    validate, apply = module._validate_device, module._apply_kernel_options

    def validated(query: Any, key: Any, value: Any) -> None:
        if not (_is_traced_for_us() and query.device.type == "cpu" and are_multiplied(query, value)):
            validate(query, key, value)

    def applied(
        query: Any, key: Any, value: Any, return_lse: bool, kernel_options: Any, return_aux: Any = None
    ) -> dict[str, Any]:
        if not (_is_traced_for_us() and query.device.type == "cpu" and are_multiplied(query, value)):
            unchanged: dict[str, Any] = apply(query, key, value, return_lse, kernel_options, return_aux)
            return unchanged
        options: dict[str, Any] = apply(query, key, value, return_lse, kernel_options, None)
        lse = return_lse if return_aux is None else return_aux.lse
        options["OUTPUT_LOGSUMEXP"] = lse or torch.is_grad_enabled()
        options["OUTPUT_MAX"] = return_aux is not None and return_aux.max_scores
        return options

    module._validate_device, module._apply_kernel_options = validated, applied


@functools.cache
def install() -> None:
    """Makes Inductor use the Triton templates on CPUs if ``cpu_backend`` is ``triton``."""
    if versions.IS_BEFORE_2_13:
        return
    importlib.import_module("torch._inductor.compile_fx")
    from torch._inductor import config
    from torch._inductor.kernel.flex import flex_attention as module
    from torch._inductor.kernel.flex import flex_decoding
    from torch._inductor.lowering import lowerings, register_lowering
    from torch._inductor.virtualized import V

    operator = torch.ops.higher_order.flex_attention
    in_cpp: Any = lowerings[operator]
    in_triton: Any = _without_branch(module.flex_attention, "lower_cpu")

    def lowered(
        query: Any, key: Any, value: Any, score: Any, mask: Any, scale: Any, options: dict[str, Any], *args: Any
    ) -> Any:
        widths = [V.graph.sizevars.guard_int(tensor.get_size()[-1]) for tensor in (query, value)]
        fits = query.get_dtype() in TYPES and min(widths) >= NARROWEST
        if config.cpu_backend != "triton" or query.get_device().type != "cpu" or not fits:
            return in_cpp(query, key, value, score, mask, scale, options, *args)
        programs = V.graph.sizevars.optimization_hint(query.get_size()[0] * key.get_size()[1])
        options = {"SPLIT_KV": splits(programs, _runtime.get_num_threads()), **options}
        return in_triton(query, key, value, score, mask, scale, options, *args)

    register_lowering(operator, type_promotion_kind=None)(lowered)
    gradients = torch.ops.higher_order.flex_attention_backward
    with_options: Any = lowerings[gradients]
    signature = inspect.signature(gradients.__call__)

    def lowered_backward(*args: Any) -> Any:
        arguments = signature.bind(*args).arguments
        query, options = arguments["query"], arguments["kernel_options"]
        if config.cpu_backend == "triton" and query.get_device().type == "cpu" and not config.max_autotune:
            *_, queries, keys, _ = arguments["block_mask"]
            queries, keys = V.graph.sizevars.guard_int(queries), V.graph.sizevars.guard_int(keys)
            arguments["kernel_options"] = {**backward_blocks(queries, keys, query.get_dtype()), **options}
        return with_options(*arguments.values())

    register_lowering(gradients, type_promotion_kind=None)(lowered_backward)
    if not torch.cuda.is_available() and not torch.xpu.is_available():
        # Inductor queries the GPU even if the options have the number.
        flex_decoding.get_split_k = lambda *args: 1
    allow_gradients()

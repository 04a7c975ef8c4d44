"""Matmuls of a graph that are faster by our kernels than by torch's library.

Then they are kernels of a template, which what comes before and after a product is part of. Which are, and the shape of
their blocks, is known beforehand; nothing is timed.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from blockdsl import _runtime
from blockdsl.compiler.target import host_identity
from blockdsl.torch_compile import versions
from blockdsl.torch_compile.choices import choices, power_of_two

ROWS, COLUMNS, DEPTH = 128, 128, 256
"""Of a block: as much of either matrix as a core's second cache holds beside the result."""

FEWEST = 32
"""Rows, columns and depth of a block, and of a product that is worth a kernel of its own."""

LARGE = 1 << 18
"""Elements of a second matrix beyond which ours were faster, 1.04 to 2.6 times; below it they are 0.83 to 1.2."""


@functools.cache
def are_faster() -> bool:
    """Whether products of float32 are faster here than torch's: on AMD's CPUs with AVX-512, for which the library that
    torch has on x86-64 is not made."""
    host = host_identity()
    return not versions.IS_BEFORE_2_13 and "vendor_id=AuthenticAMD" in host and "avx512f" in host


SETTINGS: Mapping[str, Any] = {"max_autotune_gemm": True, "max_autotune_gemm_backends": "ATEN,TRITON"}
"""With which Inductor asks ``matmul_choices`` for a product."""


def block(rows: int, columns: int, depth: int, threads: int) -> dict[str, int]:
    """The shape of a block: halved as long as threads would get none."""
    along = {
        "BLOCK_M": power_of_two(max(rows, FEWEST), ROWS),
        "BLOCK_N": power_of_two(max(columns, FEWEST), COLUMNS),
    }
    while -(-rows // along["BLOCK_M"]) * -(-columns // along["BLOCK_N"]) < threads and max(along.values()) > FEWEST:
        along[max(along, key=lambda name: along[name])] //= 2
    return {**along, "BLOCK_K": power_of_two(max(depth, FEWEST), DEPTH)}


SOURCE = """{{def_kernel("A", "B")}}
    M = {{size("A", 0)}}
    N = {{size("B", 1)}}
    K = {{size("A", 1)}}
    stride_am = {{stride("A", 0)}}
    stride_ak = {{stride("A", 1)}}
    stride_bk = {{stride("B", 0)}}
    stride_bn = {{stride("B", 1)}}
    pid = tl.program_id(0).to(INDEX_DTYPE)
    programs = (M + BLOCK_M - 1) // BLOCK_M
    rows = (pid % programs) * BLOCK_M + tl.arange(0, BLOCK_M).to(INDEX_DTYPE)
    columns = (pid // programs) * BLOCK_N + tl.arange(0, BLOCK_N).to(INDEX_DTYPE)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=ACC_TYPE)
    for start in range(0, K, BLOCK_K):
        along = start + tl.arange(0, BLOCK_K).to(INDEX_DTYPE)
        idx_m = rows[:, None]
        idx_n = along[None, :]
        a_mask = (idx_m < M) & (idx_n < K)
        {{load_input("A", "a", ("idx_m", "idx_n"), mask="a_mask", indent_width=8, index_shape=("BLOCK_M", "BLOCK_K"))}}
        idx_m = along[:, None]
        idx_n = columns[None, :]
        b_mask = (idx_m < K) & (idx_n < N)
        {{load_input("B", "b", ("idx_m", "idx_n"), mask="b_mask", indent_width=8, index_shape=("BLOCK_K", "BLOCK_N"))}}
        acc = tl.dot(a, b, acc, allow_tf32=ALLOW_TF32, out_dtype=ACC_TYPE)
    idx_m = rows[:, None]
    idx_n = columns[None, :]
    mask = (idx_m < M) & (idx_n < N)
    {{store_output(("idx_m", "idx_n"), "acc", "mask", val_shape=("BLOCK_M", "BLOCK_N"))}}
"""
"""Inductor's own wraps rows and columns around where there are none, and computes with them; ours leaves them out."""


def _block_for(inputs: Any) -> dict[str, Any] | None:
    """The block for a product in a graph; None where torch's is at least as fast, or the sizes are not known."""
    import torch
    from sympy import sympify

    # Those of what is indexed by tensors are Python's.
    sizes = [sympify(size) for size in inputs.mnk_symbolic()]
    if inputs.device_type != "cpu" or inputs.dtype() != torch.float32:
        return None
    if not all(size.is_Integer and size >= FEWEST for size in sizes):
        return None
    rows, columns, depth = map(int, sizes)
    if columns * depth < LARGE:
        return None
    found = block(rows, columns, depth, _runtime.get_num_threads())
    return {**found, "num_stages": 1, "num_warps": 1}


@functools.cache
def matmul_choices() -> Any:
    """As ``choices``, and one for each product."""
    from torch._inductor.kernel.mm import mm_template
    from torch._inductor.select_algorithm import ExternKernelChoice, TritonTemplate
    from torch._inductor.template_heuristics.params import DictKernelTemplateParams

    template = TritonTemplate(
        "blockdsl_mm", mm_template.grid, SOURCE, cache_codegen_enabled_for_template=True, prologue_loads_all_inputs=True
    )

    class ProductChoices(type(choices())):  # type: ignore[misc]
        """Where Inductor would time the library and its template, one of them."""

        def _finalize_template_configs(
            self,
            template_choices: Mapping[str, Iterable[Any]],
            kernel_inputs: Any,
            templates: list[Any],
            op_name: str,
            kwarg_overrides: Mapping[str, Mapping[str, Any]] | None = None,
        ) -> list[Any]:
            ours = _block_for(kernel_inputs) if op_name in ("mm", "addmm") else None
            if ours is None:
                torchs = [each.uid for each in templates if isinstance(each, ExternKernelChoice)]
                return [each for name in torchs for each in template_choices[name]]
            # Of the library the graph asks apart; it has none then.
            found = list(itertools.islice(template_choices.get(mm_template.uid, ()), 1))
            for each in found:
                each.template = template
                each.params = DictKernelTemplateParams({**each.params.to_kwargs(), **ours})
            return found

    return ProductChoices()

"""Matmuls of a graph that our kernels compute faster than torch's library.

They are kernels of a template, into which Inductor fuses producers and consumers. The selection and the block shapes
are fixed rules; nothing is timed.
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
"""The extents of a block: parts of both matrices that fit into a core's second-level cache with the result."""

FEWEST = 32
"""The least rows, columns and depth of a block, and of a matmul with its own kernel."""

LARGE = 1 << 18
"""Elements of the second matrix from which on ours were faster, 1.04 to 2.6 times; below it they are 0.83 to 1.2."""


@functools.cache
def are_faster() -> bool:
    """Returns whether our float32 matmuls are faster than torch's: on AMD's CPUs with AVX-512, for which torch's
    library on x86-64 is not optimized."""
    host = host_identity()
    return not versions.IS_BEFORE_2_13 and "vendor_id=AuthenticAMD" in host and "avx512f" in host


SETTINGS: Mapping[str, Any] = {"max_autotune_gemm": True, "max_autotune_gemm_backends": "ATEN,TRITON"}
"""The settings with which Inductor calls ``matmul_choices`` for a matmul."""


def block(rows: int, columns: int, depth: int, threads: int) -> dict[str, int]:
    """Returns the block shape, halved repeatedly while there are fewer blocks than threads."""
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
"""Inductor's template wraps indices of rows and columns outside of the matrices; ours masks them off."""


def _block_for(inputs: Any) -> dict[str, Any] | None:
    """Returns the block for a matmul in a graph; None if torch's library is at least as fast, or sizes are unknown."""
    import torch
    from sympy import sympify

    # Some sizes are Python integers, for operands indexed by tensors.
    sizes = [sympify(size) for size in inputs.mnk_symbolic()]
    if inputs.device_type != "cpu" or inputs.dtype() != torch.float32:
        return None
    if not all(size.is_Integer and size >= FEWEST for size in sizes):
        return None
    rows, columns, depth = map(int, sizes)
    if columns * depth < LARGE:
        return None
    shape = block(rows, columns, depth, _runtime.get_num_threads())
    return {**shape, "num_stages": 1, "num_warps": 1}


@functools.cache
def matmul_choices() -> Any:
    """Returns an instance of ``choices`` that also chooses the implementation of each matmul."""
    from torch._inductor.kernel.mm import mm_template
    from torch._inductor.select_algorithm import ExternKernelChoice, TritonTemplate
    from torch._inductor.template_heuristics.params import DictKernelTemplateParams

    template = TritonTemplate(
        "blockdsl_mm", mm_template.grid, SOURCE, cache_codegen_enabled_for_template=True, prologue_loads_all_inputs=True
    )

    class ProductChoices(type(choices())):  # type: ignore[misc]
        """Selects either the library or our template, where Inductor would time both."""

        def _finalize_template_configs(
            self,
            template_choices: Mapping[str, Iterable[Any]],
            kernel_inputs: Any,
            templates: list[Any],
            op_name: str,
            kwarg_overrides: Mapping[str, Mapping[str, Any]] | None = None,
        ) -> list[Any]:
            block_parameters = _block_for(kernel_inputs) if op_name in ("mm", "addmm") else None
            if block_parameters is None:
                library_names = [choice.uid for choice in templates if isinstance(choice, ExternKernelChoice)]
                return [choice for name in library_names for choice in template_choices[name]]
            # Inductor requests the library's choices separately, and then gets none.
            selected = list(itertools.islice(template_choices.get(mm_template.uid, ()), 1))
            for choice in selected:
                choice.template = template
                choice.params = DictKernelTemplateParams({**choice.params.to_kwargs(), **block_parameters})
            return selected

    return ProductChoices()

"""Scheduling of Inductor's C++ templates in a graph of Triton kernels: attention, and matmuls that tuning chose.

Inductor's scheduling of Triton code assumes that every template is a Triton template. But ``flex_attention`` of narrow
rows exists only in C++ for CPUs. Inductor's C++ scheduling emits these templates, without fusing them with Triton
kernels.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

import torch

from blockdsl.errors import TargetError
from blockdsl.torch_compile import choices, versions


def _check_calls_from_cpp(*, is_package: bool) -> None:
    """Raises TargetError if this version of torch cannot call Triton kernels for a CPU from C++."""
    if versions.IS_BEFORE_2_13:
        raise TargetError(
            f"torch {torch.__version__} does not call Triton's kernels for CPUs from C++",
            hint="take torch 2.13 or later, or leave out cpp_wrapper and, of packages, inductor_configs()",
        )
    if not is_package:
        raise TargetError(
            "torch calls Triton's kernels for CPUs from C++ in packages of AOTInductor only",
            hint="leave out cpp_wrapper",
        )


@functools.cache
def install() -> None:
    """Makes Inductor schedule kernels for the CPU this way if they are written as Triton code."""
    # The modules below import each other cyclically, which works only if this one is imported first.
    importlib.import_module("torch._inductor.compile_fx")
    from sympy import sympify
    from torch._inductor import config, ir
    from torch._inductor.codegen import common
    from torch._inductor.codegen.cpp import CppScheduling
    from torch._inductor.codegen.cpp_template_kernel import CppTemplateKernel
    from torch._inductor.codegen.triton import TritonScheduling
    from torch._inductor.virtualized import V

    from blockdsl.torch_compile import atomics, cascades, overrides, scalars, sorting

    overrides.install()
    scalars.install()
    atomics.install()

    class Scheduling(TritonScheduling):
        """Scheduling of Triton code and of single C++ templates."""

        kernel_type = cascades.Kernel

        def __init__(self, scheduler: Any) -> None:
            super().__init__(scheduler)
            if scheduler is not None and V.graph.cpp_wrapper:
                _check_calls_from_cpp(is_package=V.graph.aot_mode)
            self._cpp: Any = CppScheduling(scheduler)  # type: ignore[no-untyped-call]

        def can_fuse_vertical(self, node1: Any, node2: Any) -> Any:
            return not _is_cpp(node1, node2) and super().can_fuse_vertical(node1, node2)  # type: ignore[no-untyped-call]

        def can_fuse_horizontal(self, node1: Any, node2: Any) -> Any:
            return not _is_cpp(node1, node2) and super().can_fuse_horizontal(node1, node2)  # type: ignore[no-untyped-call]

        @classmethod
        def get_tiling_and_scores(cls, node_schedule: Any, numel: Any, reduction_numel: Any = 1, *args: Any) -> Any:
            """Tiles a kernel by the dimensions of its tensors, so that indices need no division."""
            tiling, scores = super().get_tiling_and_scores(node_schedule, numel, reduction_numel, *args)
            # Divisibility of dynamic sizes would not be guarded.
            is_static = sympify(numel * reduction_numel).is_Integer
            is_flat = not {"y", "z", "r1_"} & set(tiling)
            # Fusion decisions, made while there is no current device, would reject more fusions with such a tiling.
            if not is_static or config.triton.max_tiles is not None or V.graph.current_device is None:
                return tiling, scores
            # Inductor tiles what is reduced in two dimensions at most.
            with config.patch({"triton.prefer_nd_tiling": True, "triton.max_tiles": 3 if reduction_numel == 1 else 2}):
                if reduction_numel != 1:
                    selected = cls._reduction_tiling(node_schedule, tiling, scores) if is_flat else tiling
                    return selected, scores and {**dict.fromkeys(selected, 0), **scores}
                selected, _ = super().get_tiling_and_scores(node_schedule, numel, reduction_numel, *args)
            if is_flat:
                return selected, {name: numel if name == "x" else 0 for name in selected}
            # What is read along y is contiguous within its innermost dimension.
            if scores and "z" in selected and "z" not in tiling and selected["x"] == tiling["x"]:
                return selected, {"z": 0, **scores}
            return tiling, scores

        @classmethod
        def _reduction_tiling(cls, node_schedule: Any, flat: Any, scores: Any) -> Any:
            """Splits the dimension along which a reduction reads memory: what it reduces, or the rows."""
            if not scores or choices.is_shared_or_timed() or not config.triton.persistent_reductions:
                return flat
            rows, length = flat["x"], flat["r0_"]
            is_inner = choices.order(scores, "x", int(length)) == "inner"
            for candidate in cls.get_nd_tilings(node_schedule, rows, length):
                along = {name: extent for name, extent in candidate.items() if name.startswith("r")}
                across = {name: extent for name, extent in candidate.items() if name in "xyz"}
                tiling = {"x": rows, **along} if is_inner else {**across, "r0_": length}
                is_split = len(tiling) > len(flat) and (
                    not is_inner or choices.are_persistent(*map(int, along.values()))
                )
                if is_split and cls.tiling_is_compatible(node_schedule, rows, length, tiling):
                    return tiling
            return flat

        def define_kernel(self, src_code: str, *args: Any, **named: Any) -> Any:
            is_package = V.graph.aot_mode or V.graph.get_current_device_or_throw().type != "cpu"
            added = src_code if is_package else atomics.redirected(src_code)
            return super().define_kernel(sorting.redirected(added), *args, **named)  # type: ignore[no-untyped-call]

        def codegen_template(self, template_node: Any, epilogue_nodes: Sequence[Any], *args: Any, **named: Any) -> Any:
            if not _is_cpp(template_node):
                return super().codegen_template(template_node, epilogue_nodes, *args, **named)
            device, _ = template_node.group
            template_node.group = device, self._cpp.group_fn(template_node._sizes)
            return self._cpp.codegen_template(template_node, epilogue_nodes, *args)

    def _is_cpp(*nodes: Any) -> bool:
        return any(isinstance(node.get_template_node(), ir.CppTemplateBuffer) for node in nodes)

    kernel: Any = CppTemplateKernel
    render = kernel.render

    @functools.wraps(render)
    def rendered(*args: Any, **named: Any) -> Any:
        # Types of expressions must follow the C++ code being rendered, not the graph's Triton code.
        with config.patch(cpu_backend="cpp"):
            return render(*args, **named)

    kernel.render = rendered
    common.init_backend_registration()
    codegen: Any = common.device_codegens["cpu"]
    make = codegen.scheduling
    codegen.scheduling = lambda scheduler: (Scheduling if config.cpu_backend == "triton" else make)(scheduler)

"""Passes of ours over the graphs of Inductor."""

from __future__ import annotations

from typing import Any


def as_pass(patterns: Any) -> Any:
    """What a setting of Inductor's takes: replaces what the patterns match."""
    from torch._inductor.custom_graph_pass import CustomGraphPass

    class Pass(CustomGraphPass):
        def __call__(self, graph: Any) -> None:
            patterns.apply(graph)

        def uuid(self) -> str:
            """For the key of Inductor's cache."""
            from blockdsl.compiler.compiled_kernel import build_id

            return build_id("torch_compile", "triton")

    return Pass()

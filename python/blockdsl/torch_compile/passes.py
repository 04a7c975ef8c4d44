"""Our passes over Inductor's graphs."""

from __future__ import annotations

from typing import Any


def as_pass(patterns: Any) -> Any:
    """Returns a pass for Inductor's settings that applies the patterns."""
    from torch._inductor.custom_graph_pass import CustomGraphPass

    class Pass(CustomGraphPass):
        def __call__(self, graph: Any) -> None:
            patterns.apply(graph)

        def uuid(self) -> str:
            """Returns a part of the key of Inductor's cache."""
            from blockdsl.compiler.compiled_kernel import build_id

            return build_id("torch_compile", "triton")

    return Pass()

"""Triton's compiler interface; see ``blockdsl.triton.pipeline``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from triton.backends.compiler import BaseBackend

from blockdsl_triton import loading

if TYPE_CHECKING:
    from types import ModuleType


class CPUBackend(BaseBackend):  # type: ignore[misc] # Triton has no types
    """The back end for the current CPU."""

    binary_ext = "blockdsl"

    @staticmethod
    def supports_target(target: Any) -> bool:
        loading.guard()
        return bool(target.backend == "cpu")

    def hash(self) -> str:
        from blockdsl.triton import pipeline

        return pipeline.identity()

    def parse_options(self, options: dict[str, Any]) -> Any:
        from blockdsl.triton.options import Options

        return Options.of(options)

    def add_stages(self, stages: dict[str, Any], options: Any, language: Any = None) -> None:
        from blockdsl.triton import pipeline

        pipeline.add_stages(self, stages, options, language)

    def get_codegen_implementation(self, options: Any) -> dict[str, Any]:
        from blockdsl.triton import language

        return language.implementation(options)

    def get_module_map(self) -> dict[str, ModuleType]:
        from blockdsl.triton import language

        return language.module_map()

    def pack_metadata(self, metadata: Any) -> tuple[int, int, int]:
        return metadata.num_warps, metadata.num_ctas, metadata.shared

    def load_dialects(self, context: Any) -> None:
        """Does nothing: Triton's own dialects are enough."""

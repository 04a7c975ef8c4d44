"""Compiler of the device, for the targets of NVIDIA's back end."""

from __future__ import annotations

from typing import Any

from triton.backends.compiler import BaseBackend


class AnotherBackend(BaseBackend):
    """Compiles nothing."""

    binary_ext = "nothing"

    @staticmethod
    def supports_target(target: Any) -> bool:
        return False

    def hash(self) -> str:
        return "another"

    def parse_options(self, options: Any) -> Any:
        raise AssertionError("nothing compiles for another device")

    add_stages = load_dialects = get_module_map = parse_options

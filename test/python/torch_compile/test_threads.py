"""The first ``torch.compile(backend="blockdsl")`` of a process, in several threads at once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

PROGRAM = Path(__file__).parent / "threads_program.py"


# Dynamo of torch 2.11 is not thread-safe: its own fake tensors end the process.
COMPILING: list[tuple[list[str], int]] = [([], 3)] if torch.__version__ >= "2.12" else []


@pytest.mark.parametrize(("arguments", "threads"), [(["only"], 16), (["only", "first"], 16), *COMPILING])
def test_every_thread_finds_the_backend(arguments: list[str], threads: int) -> None:
    done = subprocess.run(
        [sys.executable, str(PROGRAM), *arguments], capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "TORCHINDUCTOR_COMPILE_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""},
    )  # fmt: skip
    assert done.stdout == f"{threads} right\n", done.stderr


def test_programs_get_the_function_itself() -> None:
    import blockdsl.torch_compile
    from blockdsl.torch_compile import backend

    assert blockdsl.torch_compile.compile_graph is backend.compile_graph
    assert torch._dynamo.lookup_backend("blockdsl") is backend.compile_graph
    with pytest.raises(AttributeError, match="has no attribute 'compile_graphs'"):
        blockdsl.torch_compile.compile_graphs  # noqa: B018


def test_existing_backend_of_the_name_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._dynamo.backends import registry

    def other(graph: torch.fx.GraphModule, inputs: list[torch.Tensor]) -> torch.fx.GraphModule:
        return graph

    torch._dynamo.list_backends()
    monkeypatch.setattr(registry, "_COMPILER_FNS", {**registry._COMPILER_FNS})
    registry._COMPILER_FNS.pop("blockdsl", None)
    registry.register_backend(other, name="blockdsl")
    assert torch._dynamo.lookup_backend("blockdsl") is other

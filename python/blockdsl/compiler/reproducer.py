"""Reproducers: a kernel's Triton IR with the pipeline that lowers it, as a file that ``blockdsl-opt`` runs.

They are written if ``TRITON_REPRODUCER_PATH`` is set. ``stages.py`` makes the command for a failed pass.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

from blockdsl import knobs
from blockdsl.compiler import cache
from blockdsl.compiler.options import Options
from blockdsl.compiler.target import Target

_RESOURCES = """
{-#
  external_resources: {
    mlir_reproducer: {
      pipeline: %s,
      disable_threading: true,
      verify_each: true
    }
  }
#-}
"""


def reproducer(text: Callable[[], str], pipelines: Sequence[str], target: Target) -> Callable[[Options], None]:
    """Prints a module if a reproducer is requested. Returns a function that writes it with the compilation's options.

    Args:
        text: Prints the module before the first pipeline.
        pipelines: The names of the pipelines.
        target: The CPU of the pipelines.
    """
    path = knobs.TRITON_REPRODUCER_PATH.get()
    module = "" if path is None else text()

    def write(options: Options) -> None:
        if path is None:
            return
        passes = ",".join(f"{pipeline}{options.pipeline(target)}" for pipeline in pipelines)
        whole = module + _RESOURCES % json.dumps(f"builtin.module({passes})")
        _write(path, whole)

    return write


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        cache.write_whole(path.parent, path.name, text.encode())
    except OSError as error:
        warnings.warn(f"no reproducer is written to {path} ({error})", RuntimeWarning, stacklevel=2)

"""Compiles a random module, runs it on one thread and on all, and compares memory with the evaluator's.

Each buffer ends before, or begins after, an inaccessible page.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import blockdsl
from blockdsl import _runtime
from guarded import Guarded

from .draw import drawn
from .module import Module, evaluate, text_of
from .types import Type, bytes_of, from_memory, to_memory

_TORCH = {"i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
          "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64,
          "f8E5M2": torch.float8_e5m2, "f8E4M3FN": torch.float8_e4m3fn, "f8E5M2FNUZ": torch.float8_e5m2fnuz,
          "f8E4M3FNUZ": torch.float8_e4m3fnuz}  # fmt: skip


class DifferentError(Exception):
    """The contents of a buffer differ from the expected ones."""


def difference(element: str, actual: Any, expected: Any) -> str | None:
    """Returns a text with the first elements that differ. NaNs of every form are equal."""
    rows, expected_rows = actual.reshape(-1, bytes_of(element)), expected.reshape(-1, bytes_of(element))
    wrong = (rows != expected_rows).any(axis=1)
    numbers, right = from_memory(element, rows), from_memory(element, expected_rows)
    if Type(element).is_float or Type(element).is_float8:
        wrong &= ~(np.isnan(numbers) & np.isnan(right))
    indices = np.flatnonzero(wrong)
    if not indices.size:
        return None
    examples = ", ".join(f"[{at}] {numbers[at]} instead of {right[at]}" for at in indices[:4])
    return f"{indices.size} of {len(wrong)} elements: {examples}"


def judge(module: Module, report: Callable[[str], None]) -> None:
    """Raises DifferentError, or the error of the compiler or the launch."""
    report("evaluation")
    expected = evaluate(module)
    report("compilation")
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "kernel.ttir")
        path.write_text(text_of(module))
        kernel = blockdsl.compile(path, enable_fp_fusion=False)
        for threads in (1, 0):
            report("a launch on one thread" if threads else "a launch on all threads")
            _run(kernel, module, expected, threads)


def check(seed: int, report: Callable[[str], None]) -> str:
    """The task of a worker: a module's number."""
    report("drawing")
    return recheck(drawn(seed), report)


def recheck(module: Module, report: Callable[[str], None]) -> str:
    """The task of a worker that shrinks: a module."""
    judge(module, report)
    return "equal"


def _run(kernel: Any, module: Module, expected: list[Any], threads: int) -> None:
    _runtime.set_num_threads(threads)
    guarded = [Guarded(to_memory(buffer.element, buffer.data), at_end=buffer.at_end) for buffer in module.buffers]
    tensors = [
        torch.frombuffer(memory.map, dtype=_TORCH[buffer.element], count=len(buffer.data), offset=memory.offset)
        for memory, buffer in zip(guarded, module.buffers, strict=True)
    ]
    tensors += [tensors[index][alias.offset :] for alias in module.aliases for index in [module.index_of(alias.of)]]
    kernel[(module.programs,)](*tensors, *[number.value for number in module.numbers])
    for buffer, memory, reference in zip(module.buffers, guarded, expected, strict=True):
        message = difference(buffer.element, memory.array, reference)
        if message:
            raise DifferentError(f"{buffer.name} on {'one thread' if threads else 'all threads'}: {message}")
        memory.check(buffer.name)

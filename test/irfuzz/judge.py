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


def difference(element: str, got: Any, expected: Any) -> str | None:
    """Returns a text with the first elements that differ. NaNs of every form are equal."""
    rows, wanted = got.reshape(-1, bytes_of(element)), expected.reshape(-1, bytes_of(element))
    wrong = (rows != wanted).any(axis=1)
    numbers, right = from_memory(element, rows), from_memory(element, wanted)
    if Type(element).is_float or Type(element).is_float8:
        wrong &= ~(np.isnan(numbers) & np.isnan(right))
    places = np.flatnonzero(wrong)
    if not places.size:
        return None
    shown = ", ".join(f"[{at}] {numbers[at]} instead of {right[at]}" for at in places[:4])
    return f"{places.size} of {len(wrong)} elements: {shown}"


def judge(module: Module, say: Callable[[str], None]) -> None:
    """Raises DifferentError, or the error of the compiler or the launch."""
    say("evaluation")
    expected = evaluate(module)
    say("compilation")
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "kernel.ttir")
        path.write_text(text_of(module))
        kernel = blockdsl.compile(path, enable_fp_fusion=False)
        for threads in (1, 0):
            say("a launch on one thread" if threads else "a launch on all threads")
            _run(kernel, module, expected, threads)


def check(seed: int, say: Callable[[str], None]) -> str:
    """The task of a worker: a module's number."""
    say("drawing")
    return recheck(drawn(seed), say)


def recheck(module: Module, say: Callable[[str], None]) -> str:
    """The task of a worker that shrinks: a module."""
    judge(module, say)
    return "equal"


def _run(kernel: Any, module: Module, expected: list[Any], threads: int) -> None:
    _runtime.set_num_threads(threads)
    guarded = [Guarded(to_memory(one.element, one.data), at_end=one.at_end) for one in module.buffers]
    tensors = [
        torch.frombuffer(memory.map, dtype=_TORCH[one.element], count=len(one.data), offset=memory.offset)
        for memory, one in zip(guarded, module.buffers, strict=True)
    ]
    tensors += [tensors[place][one.offset :] for one in module.aliases for place in [module.place(one.of)]]
    kernel[(module.programs,)](*tensors, *[one.value for one in module.numbers])
    for one, memory, wanted in zip(module.buffers, guarded, expected, strict=True):
        found = difference(one.element, memory.array, wanted)
        if found:
            raise DifferentError(f"{one.name} on {'one thread' if threads else 'all threads'}: {found}")
        memory.check(one.name)

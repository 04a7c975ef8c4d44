"""Torch's own tests of its operators (``op_db``), compiled by ``backend="blockdsl"``, against eager.

A case is an operator in one type, forward or with its gradients, on the first three samples. If eager's values are
random, only shapes and types are compared. A case that plain Inductor does not compile, or in which it differs from
eager, too, is reported as left out.
"""

from __future__ import annotations

import functools
import itertools
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from conformance.pool import Lost, run_cases
from conformance.verdict import Verdict, failed, passed, skipped

SECONDS, SAMPLES, PART = 120.0, 3, 50
"""For one case; of one case; and which part of all cases ``make test`` runs."""

TYPES = (
    torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int64, torch.int32, torch.uint8, torch.bool,
)  # fmt: skip

TOLERANCES = {
    torch.float64: (1e-7, 1e-7), torch.complex128: (1e-7, 1e-7), torch.float32: (1e-4, 1e-4),
    torch.complex64: (1e-4, 1e-4), torch.bfloat16: (2e-2, 1e-2), torch.float16: (1e-2, 1e-3),
}  # fmt: skip
"""Relative and absolute tolerances, as torch has them for its compiled operators; other types are equal."""


@dataclass(frozen=True)
class Case:
    operator: str
    dtype: torch.dtype
    backward: bool = False

    @property
    def name(self) -> str:
        return f"{self.operator} {str(self.dtype).removeprefix('torch.')}{' backward' * self.backward}"

    @property
    def is_in_part(self) -> bool:
        return zlib.crc32(self.name.encode()) % PART == 0


@functools.cache
def operators() -> dict[str, Any]:
    """Torch's operators by name. Importing them takes packages that torch does not install."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db
    return {f"{operator.name} {operator.variant_test_name}".strip(): operator for operator in op_db}


def cases(dtypes: Sequence[torch.dtype] = TYPES) -> Iterator[Case]:
    for name, operator in operators().items():
        for dtype in dtypes:
            if operator.supports_dtype(dtype, "cpu"):
                yield Case(name, dtype)
            if operator.supports_autograd and dtype in operator.supported_backward_dtypes("cpu"):
                yield Case(name, dtype, backward=True)


def tensors(value: Any) -> list[torch.Tensor]:
    """Returns the tensors of a result, which is one tensor or a structure of them."""
    return [leaf for leaf in torch.utils._pytree.tree_leaves(value) if isinstance(leaf, torch.Tensor)]


def is_close(actual: torch.Tensor, expected: torch.Tensor) -> bool:
    if (actual.shape, actual.dtype) != (expected.shape, expected.dtype):
        return False
    rtol, atol = TOLERANCES.get(expected.dtype, (0.0, 0.0))
    return torch.allclose(actual.to_dense(), expected.to_dense(), rtol, atol, equal_nan=True)


def first_difference(results: Sequence[torch.Tensor], expected: Sequence[torch.Tensor]) -> str:
    """Returns the difference of two results, or nothing."""
    if len(results) != len(expected):
        return f"{len(results)} tensors, not {len(expected)}"
    for result, reference in zip(results, expected, strict=True):
        if (result.shape, result.dtype) != (reference.shape, reference.dtype):
            return f"{result.dtype} of {tuple(result.shape)}, not {reference.dtype} of {tuple(reference.shape)}"
        if not is_close(result, reference):
            return f"values of {reference.dtype} of {tuple(reference.shape)} differ"
    return ""


@dataclass(frozen=True)
class Sample:
    """A call of an operator, and of its gradients."""

    operator: Any
    sample_input: Any
    backward: bool

    def run(self, wrap: Callable[[Any], Any] = lambda function: function, seed: int = 0) -> list[torch.Tensor]:
        """Returns results, followed by gradients; the same arguments for each call."""
        sample = self.sample_input.transform(self._fresh)
        function = self.operator.get_op()
        call = wrap(lambda first, args, named: function(first, *args, **named))
        torch.manual_seed(seed)
        results = tensors(call(sample.input, sample.args, sample.kwargs))
        if not self.backward:
            return results
        inputs = [tensor for tensor in tensors((sample.input, sample.args, sample.kwargs)) if tensor.requires_grad]
        outputs = [tensor for tensor in results if tensor.requires_grad]
        weights = [torch.ones_like(each) for each in outputs]
        gradients = torch.autograd.grad(outputs, inputs, weights, allow_unused=True) if outputs and inputs else ()
        return [tensor.detach() for tensor in results] + [tensor for tensor in gradients if tensor is not None]

    @staticmethod
    def _fresh(value: Any) -> Any:
        return value.detach().clone().requires_grad_(value.requires_grad) if isinstance(value, torch.Tensor) else value

    def is_random(self, expected: Sequence[torch.Tensor]) -> bool:
        """Returns true if the numbers depend on the seed."""
        return bool(first_difference(self.run(seed=1), expected))


def compiled_by(backend: str) -> Callable[[Any], Any]:
    def wrap(function: Any) -> Any:
        torch._dynamo.reset()
        return torch.compile(function, backend=backend, dynamic=False)

    return wrap


def examine_sample(sample: Sample, expected: list[torch.Tensor], backend: str) -> str:
    """Returns the error of a compiled sample, or nothing."""
    try:
        results = sample.run(compiled_by(backend))
    except Exception as error:  # Any exception of a compiler is a result here.
        return f"{type(error).__name__}: {str(error).strip().splitlines()[0][:120] if str(error).strip() else ''}"
    return first_difference(results, expected)


def examine(case: Case) -> tuple[str, str]:
    """Runs a case: returns its error, and the reason if it is left out."""
    warnings.simplefilter("ignore")
    operator, number = operators()[case.operator], 0
    torch.manual_seed(0)
    sample_inputs = itertools.islice(operator.sample_inputs("cpu", case.dtype, requires_grad=case.backward), SAMPLES)
    for number, sample_input in enumerate(sample_inputs, 1):
        sample = Sample(operator, sample_input, case.backward)
        try:
            expected = sample.run()
        except Exception as error:
            return "", f"eager raises {type(error).__name__}"
        wrong = examine_sample(sample, expected, "blockdsl")
        if wrong.startswith("values") and sample.is_random(expected):
            continue
        if wrong:
            inductor_difference = examine_sample(sample, expected, "inductor")
            return ("", f"plain Inductor, too: {inductor_difference}") if inductor_difference else (wrong, "")
    return "", "" if number else "there is no sample"


def verdicts(chosen: Sequence[Case], jobs: int) -> Iterator[Verdict]:
    start = time.perf_counter()
    for number, result in run_cases(examine, chosen, jobs, SECONDS):
        case = chosen[number]
        suite = f"torch's operators, {str(case.dtype).removeprefix('torch.')}{', backward' * case.backward}"
        elapsed, start = time.perf_counter() - start, time.perf_counter()
        if isinstance(result, Lost):
            yield failed(suite, case.name, str(result), elapsed)
            continue
        wrong, reason = result
        if wrong:
            yield failed(suite, case.name, wrong, elapsed)
        elif reason:
            yield skipped(suite, case.name, reason)
        else:
            yield passed(suite, case.name, elapsed)


def run(jobs: int, only: str) -> Iterator[Verdict]:
    yield from verdicts([case for case in cases() if only in case.name], jobs)

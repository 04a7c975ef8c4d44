"""A fixed fiftieth of torch's own tests of its operators in float32; ``make conformance`` runs all."""

from __future__ import annotations

import pytest
import torch

from conformance.suites import operators
from conformance.suites.operators import Case, first_difference

GROUPS = 6


@pytest.mark.parametrize("group", range(GROUPS))
def test_compiled_operators_are_equal_to_eager(group: int) -> None:
    """In groups, because the list of all operators takes seconds to import."""
    chosen = [case for case in operators.cases((torch.float32,)) if case.is_in_part][group::GROUPS]
    assert chosen
    assert {case.name: operators.examine(case) for case in chosen} == {case.name: ("", "") for case in chosen}


def test_wrong_operator_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a compiler that adds one to every result."""

    def plus_one(backend: str) -> object:
        return lambda function: lambda *given: function(*given) + (backend == "blockdsl")

    monkeypatch.setattr(operators, "compiled_by", plus_one)
    wrong, reason = operators.examine(Case("neg", torch.float32))
    assert "values of torch.float32" in wrong
    assert not reason


def test_operator_without_compilation_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(function: object) -> object:
        raise NotImplementedError("no code")

    monkeypatch.setattr(operators, "compiled_by", lambda backend: refuse)
    assert operators.examine(Case("neg", torch.float32)) == ("", "plain Inductor, too: NotImplementedError: no code")


def test_random_numbers_are_compared_by_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    def drawn(seed: int) -> object:
        return lambda function: lambda *given: torch.manual_seed(seed) and function(*given)

    monkeypatch.setattr(operators, "compiled_by", lambda backend: drawn(5))
    assert operators.examine(Case("rand_like", torch.float32)) == ("", "")


def test_a_difference_is_described() -> None:
    one = torch.ones(3)
    assert not first_difference([one], [one + 1e-6])
    assert first_difference([one], []) == "1 tensors, not 0"
    assert first_difference([one], [one + 1]) == "values of torch.float32 of (3,) differ"
    assert first_difference([one], [one.double()]) == "torch.float32 of (3,), not torch.float64 of (3,)"

"""Tests of a sample of the libraries that `make conformance` runs: kernels and wrappers from their wheels."""

from __future__ import annotations

import pytest

from conformance.suites.libraries import LIBRARIES, SAMPLED, run
from conformance.verdict import Outcome, listing

SAMPLES = {
    "flag_gems": """add.Tensor:broadcast mul.Tensor sigmoid gelu_backward pow.Tensor_Tensor eq.Tensor cumsum _softmax
        sum.dim_IntList:both argmax:dim sort.stable topk gather index_put bmm native_layer_norm randn""",
    "liger": "geglu|rms_norm llama|layer_norm|rope|cross_entropy|fused_linear_cross_entropy|sparsemax|jsd",
    "conch": "silu_and_mul paged_attention mixed_precision_gemm scaled_fp8_quant generate_voxels nms",
}


@pytest.mark.parametrize("library", LIBRARIES[:SAMPLED], ids=lambda library: library.key)
def test_a_sample(library) -> None:
    text = SAMPLES[library.key]
    rows = text.split("|") if "|" in text else text.split()
    verdicts = list(run(library, 1, rows.__contains__))
    assert {verdict.case.rpartition(" ")[0] for verdict in verdicts} == set(rows)
    assert not listing(verdicts, Outcome.FAILED) + listing(verdicts, Outcome.SKIPPED)

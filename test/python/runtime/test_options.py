"""Tests of options of launches on a CPU: the same values are refused as on a GPU, even those without effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from handwritten import HandwrittenKernel, make_add

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import TargetError


def launch(add: HandwrittenKernel, **options: Any) -> Any:
    x = torch.ones(64)
    return add[(1,)](x, x, torch.zeros(64), 64, **options)


def warm_up(add: HandwrittenKernel, **options: Any) -> Any:
    return add.warmup(*[torch.float32] * 3, 64, **options)


def compile_ahead(add: HandwrittenKernel, **options: Any) -> Any:
    return blockdsl.compile(add, dict.fromkeys(("x", "y", "out"), "*fp32") | {"n": "i32"}, **options)


WRONG: list[tuple[dict[str, object], str]] = [
    ({"num_warps": "4"}, "num_warps is a power of two from 1 to 32, got '4'\n{place}\n"
                         "  hint: write num_warps=4, without quotes"),
    ({"num_warps": "four"}, "num_warps is a power of two from 1 to 32, got 'four'\n{place}"),
    ({"num_warps": 3}, "num_warps is a power of two from 1 to 32, got 3\n{place}"),
    ({"num_warps": 4.0}, "num_warps is a power of two from 1 to 32, got 4.0\n{place}"),
    ({"num_warps": True}, "num_warps is a power of two from 1 to 32, got True\n{place}"),
    ({"num_warps": (4,)}, "num_warps is a power of two from 1 to 32, got (4,)\n{place}"),
    ({"num_stages": [2]}, "num_stages is an integer from 0 to 64, got [2]\n{place}"),
    ({"num_ctas": 0}, "num_ctas is a power of two from 1 to 16, got 0\n{place}"),
    ({"maxnreg": "all"}, "maxnreg is an integer from 1 to 255, got 'all'\n{place}"),
    ({"debug": "no"}, "debug is True or False, got 'no'\n{place}"),
    ({"launch_pdl": 2}, "launch_pdl is True or False, got 2\n{place}"),
    ({"enable_fp_fusion": "off"}, "enable_fp_fusion is True or False, got 'off'\n{place}"),
]  # fmt: skip


@pytest.mark.parametrize("launch_function", [launch, warm_up, compile_ahead])
@pytest.mark.parametrize(("options", "message"), WRONG, ids=[str(index) for index in range(len(WRONG))])
def test_refused(launch_function: Callable[..., object], options: dict[str, object], message: str) -> None:
    add = make_add()
    with pytest.raises(TargetError) as caught:
        launch_function(add, **options)
    location = caught.value.location
    assert location is not None
    assert (location.file, location.function) == (__file__, launch_function.__name__)
    lines = str(caught.value).splitlines()
    # Location, source line, and caret.
    lines[1:4] = ["{place}"]
    assert "\n".join(lines) == message
    assert not add.record.compiled


def test_refused_after_a_launch_that_was_right() -> None:
    add = make_add()
    kernel = launch(add, num_warps=4)
    for wrong in ("4", 3, 3):
        with pytest.raises(TargetError, match="num_warps is a power of two"):
            launch(add, num_warps=wrong)
    assert launch(add, num_warps=4) is kernel
    assert launch(add) is kernel


@pytest.mark.parametrize("options", [
    {"num_warps": np.int64(8)}, {"num_warps": tl.constexpr(8)}, {"num_stages": np.int32(0)}, {"debug": np.bool_(True)},
    {"launch_pdl": 1}, {"num_warps": None, "debug": None, "enable_fp_fusion": None}, {"warp_size": "any"},
    {"waves_per_eu": 2, "matrix_instr_nonkdim": 16, "kpack": 2}, {"num_consumer_groups": 2, "grf_mode": "large"},
])  # fmt: skip
def test_accepted_without_recompiling(options: dict[str, object]) -> None:
    add = make_add()
    assert launch(add) is launch(add, **options)
    assert len(add.record.compiled) == 1


def test_refused_option_is_remembered() -> None:
    add = make_add()
    launch(add, num_stages=3)
    with pytest.raises(TargetError, match="num_warps"):
        launch(add, num_warps=3)


def test_parameter_named_like_an_option() -> None:
    @blockdsl.jit
    def store(out, num_warps):
        tl.store(out, num_warps)

    out = torch.zeros(1)
    store[(1,)](out, num_warps=3)
    assert out.item() == 3

"""Classes of other people's that derive from the tuner's, as they do from Triton's."""

from __future__ import annotations

from typing import Any

import pytest
import torch

import blockdsl
import blockdsl.language as tl
from blockdsl.errors import TuningError


@blockdsl.jit
def raised(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)


class Counted(blockdsl.runtime.Autotuner):
    """As a library derives from Triton's: its constructor, and a `run` of its own."""

    def __init__(
        self, fn: Any, arg_names: Any, configs: Any, key: Any, reset: Any, restore: Any, **kwargs: Any
    ) -> None:
        super().__init__(fn, arg_names, configs, key, reset, restore, **kwargs)
        self.runs: list[dict[str, Any]] = []
        if not self.user_defined_pre_hook and not self.user_defined_post_hook:
            self.pre_hook = lambda arguments, reset_only=False: self.runs.append({"timed": not reset_only})

    def run(self, *args: Any, **kwargs: Any) -> Any:
        self.runs.append({name: kwargs[name] for name in ("grid", "warmup")})
        return super().run(*args, **kwargs)


def test_a_class_that_derives_from_the_tuner() -> None:
    kernel = raised
    configs = [blockdsl.Config({"BLOCK": block}, ir_override=None) for block in (64, 128)]
    tuned = Counted(kernel, kernel.arg_names, configs, ["n"], None, None, warmup=1, rep=1, cache_results=False)
    x, out = torch.ones(256), torch.zeros(256)
    tuned[(4,)](x, out, 256)
    assert out.tolist() == [2.0] * 256
    assert tuned.runs[0] == {"grid": (4,), "warmup": False}
    assert tuned.runs[1] == {"timed": True}
    assert tuned.runs[-1] == {"timed": False}
    tuned[(4,)](x, out, 256)
    assert tuned.runs[-1] == {"grid": (4,), "warmup": False}


def test_a_configuration_takes_no_stage() -> None:
    with pytest.raises(TuningError, match=r"a configuration takes no ir_override, got 'add\.ttir'") as got:
        blockdsl.Config({}, ir_override="add.ttir")  # type: ignore[arg-type]
    assert got.value.hint is not None
    assert "BLOCKDSL_OVERRIDE_DIR" in got.value.hint


class Ruled(blockdsl.runtime.Heuristics):
    def run(self, *args: Any, **kwargs: Any) -> Any:
        return super().run(*args, **{**kwargs, "n": 2})


def test_a_class_that_derives_from_heuristics() -> None:
    ruled = Ruled(raised, raised.arg_names, {"BLOCK": lambda given: 2 * given["n"]})
    out = torch.zeros(4)
    assert ruled[(1,)](torch.ones(4), out).signature.constants["BLOCK"] == 4
    assert out.tolist() == [2.0, 2.0, 0.0, 0.0]

"""Tests of third-party classes that derive from the tuner's, as they do from Triton's."""

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
    """Derives from the tuner as a library derives from Triton's: with a constructor and a `run` of its own."""

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


def test_subclass_of_autotuner() -> None:
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


class Searching(blockdsl.runtime.Autotuner):
    """Derives with a search of its own, which times with the function of Triton's tuner."""

    def run(self, *args: Any, **kwargs: Any) -> Any:
        self.nargs = dict(zip(self.arg_names, args, strict=False))
        left = self.prune_configs(kwargs)
        self.configs_timings = {config: self._bench(*args, config=config, **kwargs) for config in left}
        self.best_config = min(self.configs_timings, key=lambda config: self.configs_timings[config])
        given = {**self.nargs, **kwargs, **self.best_config.all_kwargs()}
        self.pre_hook(given, reset_only=True)
        return self.fn.run(*args, **kwargs, **self.best_config.all_kwargs())


@blockdsl.jit
def counted(x_ptr, n, BLOCK: tl.constexpr):
    tl.static_assert(BLOCK != 8, "not eight")
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)


def test_subclass_with_its_own_search() -> None:
    def pruned(configs: Any, named: Any, **kwargs: Any) -> Any:
        assert named["n"] == 4
        assert kwargs["grid"] == (1,)
        return configs[:2]

    configs = [blockdsl.Config({"BLOCK": block}) for block in (8, 4, 16)]
    tuned = Searching(counted, counted.arg_names, configs, [], ["x_ptr"], None,
                      prune_configs_by={"early_config_prune": pruned}, warmup=1, rep=1)  # fmt: skip
    x = torch.full((4,), 7.0)
    tuned[(1,)](x, 4)
    assert [timing[0] == float("inf") for timing in tuned.configs_timings.values()] == [True, False]
    assert tuned.best_config is configs[1]
    assert x.tolist() == [1.0] * 4


def test_no_configs_mean_one_empty_config() -> None:
    tuned = blockdsl.autotune([], key=["n"])(counted)
    x = torch.zeros(4)
    tuned[(1,)](x, 4, BLOCK=4)
    assert (x.tolist(), [config.kwargs for config in tuned.configs]) == ([1.0] * 4, [{}])


def test_config_refuses_ir_override() -> None:
    with pytest.raises(TuningError, match=r"a configuration takes no ir_override, got 'add\.ttir'") as got:
        blockdsl.Config({}, ir_override="add.ttir")  # type: ignore[arg-type]
    assert got.value.hint is not None
    assert "BLOCKDSL_OVERRIDE_DIR" in got.value.hint


class Ruled(blockdsl.runtime.Heuristics):
    def run(self, *args: Any, **kwargs: Any) -> Any:
        return super().run(*args, **{**kwargs, "n": 2})


def test_subclass_of_heuristics() -> None:
    ruled = Ruled(raised, raised.arg_names, {"BLOCK": lambda given: 2 * given["n"]})
    out = torch.zeros(4)
    assert ruled[(1,)](torch.ones(4), out).signature.constants["BLOCK"] == 4
    assert out.tolist() == [2.0, 2.0, 0.0, 0.0]

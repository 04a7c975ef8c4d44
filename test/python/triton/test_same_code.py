"""Tests that a kernel has the same LLVM IR, and so the same speed, with Triton's front end and with ours."""

from __future__ import annotations

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import stock_kernels as stock
import torch

import blockdsl

SIGNATURES: dict[str, tuple[dict[str, str], dict[str, Any]]] = {
    "add": (dict.fromkeys(("x_ptr", "y_ptr", "out_ptr"), "*fp32") | {"n": "i32"}, {"BLOCK": 1024}),
    "softmax": (dict.fromkeys(("out_ptr", "x_ptr"), "*fp32") | {"columns": "i32"}, {"BLOCK": 1024}),
    "layer_norm": (
        dict.fromkeys(("x_ptr", "y_ptr", "w_ptr", "b_ptr", "mean_ptr", "rstd_ptr"), "*fp32")
        | {"stride": "i32", "columns": "i32", "eps": "fp32"},
        {"BLOCK": 1024},
    ),
    "matmul": (
        dict.fromkeys(("a_ptr", "b_ptr", "c_ptr"), "*fp32")
        | dict.fromkeys(("rows", "columns", "inner"), "i32")
        | dict.fromkeys((f"stride_{each}" for each in ("am", "ak", "bk", "bn", "cm", "cn")), "i32"),
        {"ACTIVATION": "relu", "M": 64, "N": 64, "K": 32},
    ),
    "histogram": ({"x_ptr": "*i32", "counts_ptr": "*i32", "n": "i32"}, {"BLOCK": 1024}),
    "small_floats": (dict.fromkeys(("x_ptr", "out_ptr"), "*u8"), {"BLOCK": 64}),
    "tanh": ({"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32"}, {"BLOCK": 1024}),
}
ARGUMENTS = {"*fp32": torch.float32, "*i32": torch.int32, "*u8": torch.uint8, "i32": 7, "fp32": 0.5}

ASSEMBLY = re.compile(r'elementwise_inline_asm "[^"]*" \{.*?\}')


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """Returns the same kernels in our language."""
    text = Path(stock.__file__).read_text(encoding="utf-8")
    text = text.replace("import triton\n", "import blockdsl\n").replace("triton.", "blockdsl.")
    path = tmp_path_factory.mktemp("kernels") / "ours.py"
    path.write_text(text, encoding="utf-8")
    module = ModuleType("ours")
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


@pytest.mark.parametrize("name", SIGNATURES)
def test_both_front_ends_emit_the_same_code(name: str, ours: ModuleType) -> None:
    types, constants = SIGNATURES[name]
    own_function, stock_function = (getattr(each, name) for each in (ours, stock))
    own_function, stock_function = (
        getattr(each, "fn", each) if name == "matmul" else each for each in (own_function, stock_function)
    )
    through_triton = stock_function.warmup(*(ARGUMENTS[kind] for kind in types.values()), **constants, grid=(1,))
    through_triton._init_handles()
    # Triton's front end assumes addresses that are multiples of 16 for mock tensors.
    signature = {each: f"{kind}:16" if kind.startswith("*") else kind for each, kind in types.items()}
    compiled = blockdsl.compile(own_function, signature, constants)
    assert through_triton.function.asm["llir"] == compiled.asm["llir"]
    if "inline_asm" in compiled.asm["ttir"]:
        theirs_said, ours_said = (ASSEMBLY.findall(each.asm["ttir"]) for each in (through_triton, compiled))
        assert ours_said == theirs_said

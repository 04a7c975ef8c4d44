"""Tests of block pointers with run-time strides: strides of one are constants in the code.

Triton specializes a number that is one, unless the kernel excludes it, as FlagGems does with `stride: int`.
"""

from __future__ import annotations

import re

import pytest
import torch

from blockdsl.compiler.cpu_kernel import compile_kernel
from blockdsl.compiler.options import Options
from blockdsl.compiler.program import TextProgram
from blockdsl.triton import kernel_launcher

TEXT = """module {
  tt.func public @doubled(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"), %out: !tt.ptr<f32> loc("out"), \
%step: STEP loc("step"), %step2: i64 loc("step2"), %n: i32 loc("n")) attributes {noinline = false} {
    %begin = arith.constant 0 : i32
    %size = arith.extsi %n : i32 to i64
    WIDENED
    %from = tt.make_tensor_ptr %x, [%size], [%wide], [%begin] {order = array<i32: 0>} : <tensor<64xf32>>
    %block = tt.load %from {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    %twice = arith.addf %block, %block : tensor<64xf32>
    %to = tt.make_tensor_ptr %out, [%size], [%step2], [%begin] {order = array<i32: 0>} : <tensor<64xf32>>
    tt.store %to, %twice {boundaryCheck = array<i32: 0>} : !tt.ptr<tensor<64xf32>>
    tt.return
  }
}
"""


def text(kind: str) -> str:
    head, rest = TEXT.split("WIDENED")
    if kind == "i64":
        return (head + rest).replace("STEP", "i64").replace("%wide", "%step")
    return (head + "%wide = arith.extsi %step : i32 to i64" + rest).replace("STEP", "i32")


@pytest.mark.parametrize("kind", ["i32", "i64"])
def test_each_launch_is_specialized_on_unit_strides(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    launcher = kernel_launcher.KernelLauncher(compile_kernel(TextProgram(text(kind), "doubled.ttir"), Options()))
    made: list[str] = []

    def compile_and_note(program: TextProgram, *rest: object) -> object:
        made.append(program.text)
        return compile_kernel(program, *rest)

    monkeypatch.setattr(kernel_launcher, "compile_kernel", compile_and_note)
    for x_step, out_step in ((3, 2), (1, 1), (2, 1), (1, 3), (1, 1), (3, 2)):
        x, out = torch.randn(150), torch.full((200,), -1.0)
        launcher[(1,)](x, out, x_step, out_step, 50)
        assert torch.equal(out[: 50 * out_step : out_step], 2 * x[: 50 * x_step : x_step])
        assert (out == -1).sum() == 150
    ones = [sorted(name for name in ("step", "step2") if f"%{name}_is_one = arith" in each) for each in made]
    assert [each for each in ones if each] == [["step", "step2"], ["step2"], ["step"]]


def test_contiguous_elements_are_not_gathered() -> None:
    known = compile_kernel(
        TextProgram(kernel_launcher.with_ones(text("i32"), ["step", "step2"]), "doubled.ttir"), Options()
    )
    open_ = compile_kernel(TextProgram(text("i32"), "doubled.ttir"), Options())
    masked = re.compile(r"= call <\d+ x float> @llvm\.masked\.load")
    loads = [masked.search(kernel.asm["llir"]) is not None for kernel in (known, open_)]
    assert loads == [True, False]


def test_other_integers_are_not_strides() -> None:
    assert kernel_launcher.strides(text("i32"), ["x", "out", "step", "step2", "n"]) == {"step", "step2"}
    assert not kernel_launcher.strides(text("i32").replace("make_tensor_ptr", "make_tensor_descriptor"), ["step", "n"])

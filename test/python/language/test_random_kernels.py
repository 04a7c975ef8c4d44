"""Random kernels of mixed types, ops and control flow: the compiled result equals the interpreter's.

A seed names a kernel. What fails is written to a file, which is named, and can be run by itself.
"""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from typing import Any

import pytest
import torch

from blockdsl import interpreter

EXPRESSIONS = [
    "{a} + {b}", "{a} * {b}", "{a} - {b}", "tl.where({a} > {b}, {a}, {b})", "tl.maximum({a}, {b})",
    "tl.minimum({a}, 1)", "{a} + 1", "{a} * 2", "-{a}", "tl.abs({a})", "({a} > {b}).to(tl.int32)",
    "{a}.to(tl.float32) / 3", "tl.flip({a}, 0)", "tl.cumsum({a}, 0)", "tl.sum({a}, 0) + {b}", "tl.max({a}, 0) - {b}",
    "{a}.to(tl.int32) // 3", "{a}.to(tl.int32) % 5", "tl.exp(tl.minimum({a}.to(tl.float32), 3))",
    "tl.reshape(tl.trans(tl.reshape({a}, (4, 8))), (32,))", "{a}.to(tl.int32) >> 1", "{a}.to(tl.int16) & 7",
]  # fmt: skip

# The order of a sum shows in 16-bit floats, and is nobody's mistake.
DTYPES = [torch.float32, torch.int32, torch.int8, torch.int64, torch.uint8]


def kernel_text(choose: random.Random) -> str:
    lines = ["at = tl.arange(0, 32)", *(f"v{i} = tl.load(x{i} + at)" for i in range(3))]
    names = ["v0", "v1", "v2"]
    for place in range(choose.randint(3, 7)):
        a, b, name = choose.choice(names), choose.choice(names), f"w{place}"
        value = choose.choice(EXPRESSIONS).format(a=a, b=b)
        shape = choose.random()
        if shape < 0.25:
            lines += [f"{name} = {a}.to(tl.float32)", f"for i{place} in range(n):"]
            lines.append(f"    {name} = {name} * 0.5 + ({value}).to(tl.float32)")
        elif shape < 0.4:
            lines += [f"if n > {choose.randint(0, 6)}:", f"    {name} = ({value}).to(tl.float32)"]
            lines += ["else:", f"    {name} = {a}.to(tl.float32) + n"]
        else:
            lines.append(f"{name} = {value}")
        names.append(name)
    lines.append(f"tl.store(out + at, ({names[-1]}).to(tl.float32))")
    lines.append(f"tl.store(out + 32 + at, ({names[-2]}).to(tl.float32), mask=at < n * 5)")
    body = "".join(f"    {line}\n" for line in lines)
    head = "import blockdsl\nimport blockdsl.language as tl\n\n\n@blockdsl.jit\ndef kernel(x0, x1, x2, out, n):\n"
    return head + body


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


@pytest.mark.parametrize("seed", range(60))
def test_compiled_equals_interpreted(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    path = tmp_path / f"random_kernel_{seed}.py"
    path.write_text(kernel_text(choose))
    kernel = load(path)
    torch.manual_seed(seed)
    inputs = [
        (torch.rand(32) * 12 - (0 if dtype == torch.uint8 else 6)).to(dtype) for dtype in choose.choices(DTYPES, k=3)
    ]
    n = choose.randint(0, 7)
    compiled, interpreted = torch.zeros(64), torch.zeros(64)
    kernel[(1,)](*inputs, compiled, n)
    bound = dict(zip(("x0", "x1", "x2", "out", "n"), [*inputs, interpreted, n], strict=True))
    interpreter.run(kernel.source, bound, (1,))
    torch.testing.assert_close(
        compiled, interpreted, rtol=1e-4, atol=1e-3, equal_nan=True, msg=lambda m: f"{path}: {m}"
    )

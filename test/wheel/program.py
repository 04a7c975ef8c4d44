"""Program of tools/check_wheel.py for an environment with only the wheel: kernels on NumPy arrays."""

import sys
from pathlib import Path

import numpy as np

import blockdsl
import blockdsl.language as tl


@blockdsl.jit
def softmax_rows(out_ptr, x_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    x = tl.load(x_ptr + row * columns + offsets, mask=inside, other=-float("inf"))
    numerator = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + offsets, numerator / tl.sum(numerator, axis=0), mask=inside)


@blockdsl.jit
def product(out_ptr, a_ptr, b_ptr, SIZE: tl.constexpr):
    rows, columns = tl.arange(0, SIZE)[:, None], tl.arange(0, SIZE)[None, :]
    tile = rows * SIZE + columns
    tl.store(out_ptr + tile, tl.dot(tl.load(a_ptr + tile), tl.load(b_ptr + tile)))


@blockdsl.jit
def wrong(a_ptr, b_ptr):
    tl.dot(tl.load(a_ptr + tl.arange(0, 16)[:, None] + tl.arange(0, 32)), tl.zeros((16, 16), tl.float32))


def main() -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal((37, 781), dtype=np.float32)
    out = np.empty_like(x)
    compiled = softmax_rows[(37,)](out, x, 781, BLOCK=1024)
    expected = np.exp(x - x.max(axis=1, keepdims=True))
    np.testing.assert_allclose(out, expected / expected.sum(axis=1, keepdims=True), rtol=1e-5)

    a, b = random.standard_normal((2, 32, 32), dtype=np.float32)
    c = np.empty_like(a)
    product[(1,)](c, a, b, SIZE=32)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4, atol=1e-4)

    try:
        wrong[(1,)](a, b)
    except blockdsl.errors.BlockdslError as error:
        assert "program.py" in str(error), error
    else:
        raise AssertionError("a dot of (16, 32) and (16, 16) compiled")

    for stage, word in {
        "ttir": "tt.func",
        "linalg": "linalg.",
        "nests": "cpu.nest",
        "loops": "vector.",
        "llvm": "llvm.func",
        "llir": "define ",
        "asm": ".text",
    }.items():
        text = compiled.asm[stage]
        assert word in text, f"{word!r} is not in {stage}"
        print(f"{stage}: {len(text.splitlines())} lines")
    Path(sys.argv[1]).write_text(compiled.asm["ttir"])


if __name__ == "__main__":
    main()

"""Run by test_compile.py with BLOCKDSL_INTERPRET=1: an interpreted kernel, and calls that it refuses."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import kernels
import torch

import blockdsl


def main() -> None:
    x, y, out = torch.rand(300), torch.rand(300), torch.zeros(300)
    print(type(kernels.add).__name__)
    kernels.add[lambda meta: (blockdsl.cdiv(meta["n"], meta["BLOCK"]),)](x, y, out, n=300, num_warps=4)
    print("equal" if torch.equal(out, x + y) else "different")
    kernels.add.run(x, y, out.zero_(), 300, grid=(3,))
    print("equal" if torch.equal(out, x + y) else "different")
    try:
        blockdsl.compile(kernels.add, signature={})
    except blockdsl.errors.LaunchError as error:
        print("refused" if "unset BLOCKDSL_INTERPRET" in str(error) else error)
    try:
        kernels.add[(1,)](x, y, out)
    except blockdsl.errors.LaunchError as error:
        print("refused" if "needs an argument for its parameter 'n'" in str(error) else error)


main()

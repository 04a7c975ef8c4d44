"""Launches a kernel and prints the CPU that it is compiled for, and whether it came from the disk cache."""

import torch

import blockdsl
import blockdsl.language as tl
from blockdsl import knobs
from blockdsl.compiler.target import Target


@blockdsl.jit
def add(out, x, y, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) + tl.load(y + at))


def report(src, metadata, metadata_group, times, cache_hit):
    print("loaded" if cache_hit else "compiled")


knobs.compilation.listener = report
x, y, out = torch.rand(1024), torch.rand(1024), torch.zeros(1024)
kernel = add[(1,)](out, x, y, BLOCK=1024)
assert torch.equal(out, x + y)
print(Target.host().cpu)
print(max(bits for bits, name in ((128, "xmm"), (256, "ymm"), (512, "zmm")) if name in kernel.asm["asm"]))

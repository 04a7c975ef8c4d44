"""Functions of libdevice, some of which are written in the language, for stock Triton and for blockdsl."""

import triton
import triton.language as tl
from triton.language.extra import cuda, libdevice
from triton.language.extra.cuda import gdc_wait
from triton.language.extra.cuda import libdevice as cuda_libdevice


@triton.jit
def integers(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + at, mask=at < n, other=1), tl.load(y_ptr + at, mask=at < n, other=1)
    tl.store(out_ptr + at, libdevice.clz(x), mask=at < n)
    tl.store(out_ptr + n + at, cuda_libdevice.popc(x), mask=at < n)
    tl.store(out_ptr + 2 * n + at, libdevice.ffs(x), mask=at < n)
    tl.store(out_ptr + 3 * n + at, libdevice.brev(x), mask=at < n)
    tl.store(out_ptr + 4 * n + at, libdevice.mulhi(x, y), mask=at < n)
    tl.store(out_ptr + 5 * n + at, cuda_libdevice.byte_perm(x, y, 0x5140), mask=at < n)
    tl.store(out_ptr + 6 * n + at, libdevice.hadd(x, y), mask=at < n)
    tl.store(out_ptr + 7 * n + at, libdevice.mulhi(x.to(tl.uint32), y.to(tl.uint32)), mask=at < n)


@triton.jit
def floats(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + at, mask=at < n, other=1), tl.load(y_ptr + at, mask=at < n, other=1)
    tl.store(out_ptr + at, libdevice.add_rd(x, y), mask=at < n)
    tl.store(out_ptr + n + at, libdevice.mul_ru(x, y), mask=at < n)
    tl.store(out_ptr + 2 * n + at, libdevice.norm3d(x, y, x), mask=at < n)
    tl.store(out_ptr + 3 * n + at, libdevice.float2int_rz(x), mask=at < n)
    tl.store(out_ptr + 4 * n + at, libdevice.llrint(y), mask=at < n)
    tl.store(out_ptr + 5 * n + at, libdevice.fma_rn(x, y, x), mask=at < n)
    tl.store(out_ptr + 6 * n + at, libdevice.float_as_int(x), mask=at < n)
    tl.store(out_ptr + 7 * n + at, libdevice.tanh(x) + libdevice.erf(y), mask=at < n)


@triton.jit
def special(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=1)
    tl.store(out_ptr + at, libdevice.erfcx(x), mask=at < n)
    tl.store(out_ptr + n + at, libdevice.jn(tl.full((BLOCK,), 1, tl.int32), x), mask=at < n)
    tl.store(out_ptr + 2 * n + at, libdevice.cyl_bessel_i1(x), mask=at < n)


@triton.jit
def of_a_number(x_ptr, out_ptr):
    tl.store(out_ptr, libdevice.clz(tl.load(x_ptr)))


@triton.jit
def of_the_device(out_ptr):
    gdc_wait()
    cuda.gdc_launch_dependents()
    known = (cuda.smid() >= 0) & (cuda.globaltimer() > 0)
    tl.store(out_ptr, cuda.num_warps() * 100 + cuda.num_threads() * 10 + known)

"""Tests of the IR of ops: op by op, in order, with the types that Triton gives them."""

from filecheck import filecheck

import blockdsl
import blockdsl.language as tl


@filecheck(x="*fp32", out="*fp32", n="i32", BLOCK=128)
@blockdsl.jit
def test_masked_add(x, out, n, BLOCK: tl.constexpr):
    # CHECK-LABEL: tt.func public @test_masked_add
    # CHECK-SAME:    %[[X:.*]]: !tt.ptr<f32>, %[[OUT:.*]]: !tt.ptr<f32>, %[[N:.*]]: i32)
    # CHECK-SAME:    attributes {noinline = false}
    # CHECK-NEXT:  %[[PID:.*]] = tt.get_program_id x : i32
    # CHECK-NEXT:  %[[C:.*]] = arith.constant 128 : i32
    # CHECK-NEXT:  %[[START:.*]] = arith.muli %[[PID]], %[[C]] : i32
    # CHECK-NEXT:  %[[RANGE:.*]] = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
    # CHECK-NEXT:  %[[SPLAT:.*]] = tt.splat %[[START]] : i32 -> tensor<128xi32>
    # CHECK-NEXT:  %[[AT:.*]] = arith.addi %[[SPLAT]], %[[RANGE]] : tensor<128xi32>
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # CHECK-NEXT:  %[[LIMIT:.*]] = tt.splat %[[N]]
    # CHECK-NEXT:  %[[MASK:.*]] = arith.cmpi slt, %[[AT]], %[[LIMIT]] : tensor<128xi32>
    mask = at < n
    # CHECK-NEXT:  %[[BASE:.*]] = tt.splat %[[X]] : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
    # CHECK-NEXT:  %[[PTRS:.*]] = tt.addptr %[[BASE]], %[[AT]] : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
    # CHECK:       %[[OTHER:.*]] = arith.constant dense<0.000000e+00> : tensor<128xf32>
    # CHECK-NEXT:  %[[V:.*]] = tt.load %[[PTRS]], %[[MASK]], %[[OTHER]] : tensor<128x!tt.ptr<f32>>
    value = tl.load(x + at, mask=mask, other=0.0)
    # CHECK:       %[[SUM:.*]] = arith.addf %[[V]]
    # CHECK:       tt.store %{{.*}}, %[[SUM]], %[[MASK]]
    # CHECK-NEXT:  tt.return
    tl.store(out + at, value + 1.5, mask=mask)


@filecheck(b="*i1", u="*u8")
@blockdsl.jit
def test_bools_lie_in_memory_as_bytes(b, u):
    # CHECK: %[[P:.*]] = tt.bitcast %{{.*}} : !tt.ptr<i1> -> !tt.ptr<i8>
    # CHECK: %[[V:.*]] = tt.load %[[P]] : !tt.ptr<i8>
    # CHECK: %[[FLAG:.*]] = arith.cmpi ne, %[[V]]
    flag = tl.load(b)
    # CHECK: tt.bitcast
    # CHECK: %[[BYTE:.*]] = arith.extui %[[FLAG]] : i1 to i8
    # CHECK: tt.store %{{.*}}, %[[BYTE]] : !tt.ptr<i8>
    tl.store(b, flag)
    # CHECK: arith.uitofp %{{.*}} : i8 to f32
    tl.static_assert((tl.load(u) / 2).dtype == tl.float32)


@filecheck(x="*fp32", u="u32")
@blockdsl.jit
def test_unsigned_offsets_are_widened(x, u):
    # CHECK: %[[WIDE:.*]] = arith.extui %{{.*}} : i32 to i64
    # CHECK: tt.addptr %{{.*}}, %[[WIDE]] : !tt.ptr<f32>, i64
    tl.load(x + u)


@filecheck(h="*fp16", b="*bf16", x="*fp32")
@blockdsl.jit
def test_casts(h, b, x):
    half = tl.load(h)
    # CHECK: arith.extf %{{.*}} : f16 to f32
    half.to(tl.float32)
    # CHECK: tt.fp_to_fp %{{.*}}, rounding = rtne : f16 -> bf16
    half.to(tl.bfloat16)
    # CHECK: %[[F:.*]] = arith.extf %{{.*}} : f16 to f32
    # CHECK: arith.fptosi %[[F]] : f32 to i32
    half.to(tl.int32)
    # CHECK: tt.fp_to_fp %{{.*}}, rounding = rtz : f32 -> f16
    tl.load(x).to(tl.float16, fp_downcast_rounding="rtz")
    # CHECK: tt.bitcast %{{.*}} : f32 -> i32
    tl.load(x).to(tl.int32, bitcast=True)
    # CHECK: tt.ptr_to_int %{{.*}} : !tt.ptr<f32> -> i64
    x.to(tl.int64)


@filecheck(x="*fp32")
@blockdsl.jit
def test_cache_hints(x):
    # CHECK: tt.load %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_last>}
    value = tl.load(x, cache_modifier=".cg", eviction_policy="evict_last")
    # CHECK: tt.load %{{.*}} {isVolatile = true}
    value += tl.load(x, volatile=True)
    # CHECK: tt.store {{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = cs, eviction_policy = evict_normal>}
    tl.store(x, value, cache_modifier=".cs")


@filecheck(x="*fp32")
@blockdsl.jit
def test_reduction_calls_the_library(x):
    row = tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :]
    # CHECK: %[[S:.*]] = tt.call @blockdsl.language.reductions.sum__fp32S16_32S_c1_cFalse_cNone
    # CHECK-SAME: (tensor<16x32xf32>) -> tensor<16xf32>
    tl.store(x + tl.arange(0, 16), tl.sum(tl.load(x + row), 1))
    # CHECK: tt.func private @blockdsl.language.reductions.sum__fp32S16_32S_c1_cFalse_cNone
    # CHECK: "tt.reduce"(%{{.*}}) <{axis = 1 : i32}> ({
    # CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
    # CHECK-NEXT: %[[R:.*]] = tt.call @blockdsl.language.reductions._sum_combine__fp32_fp32(%[[A]], %[[B]])
    # CHECK-NEXT: tt.reduce.return %[[R]] : f32
    # CHECK: tt.func private @blockdsl.language.reductions._sum_combine__fp32_fp32
    # CHECK-NEXT: arith.addf


@filecheck(a="*fp16", b="*fp16")
@blockdsl.jit
def test_dot(a, b):
    at = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    # CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<16x16xf32>
    # CHECK: %[[C:.*]] = tt.dot %{{.*}}, %{{.*}}, %[[ZERO]], inputPrecision = tf32 : {{.*}} -> tensor<16x16xf32>
    c = tl.dot(tl.load(a + at), tl.load(b + at))
    # CHECK: tt.dot {{.*}}, %[[C]], inputPrecision = tf32 :
    tl.dot(tl.load(a + at), tl.load(b + at), c, allow_tf32=True)
    # CHECK: tt.dot {{.*}}, %[[C]] : tensor
    tl.dot(tl.load(a + at), tl.load(b + at), c, allow_tf32=False)
    # CHECK: tt.dot {{.*}}, %[[C]], inputPrecision = bf16x3 :
    tl.dot(tl.load(a + at), tl.load(b + at), c, input_precision="bf16x3")


@filecheck(x="*i32", n="i32")
@blockdsl.jit
def test_debugging(x, n):
    # CHECK: tt.print " n: " {hex = false, isSigned = array<i32: 1>} : %{{.*}} : i32
    tl.device_print("n", n)
    # CHECK: tt.print " x: " {hex = true, isSigned = array<i32: 1, 1>} : %{{.*}}, %{{.*}} : i32, i32
    print("x", tl.load(x), n, hex=True)
    # CHECK: tt.assert %{{.*}}, "n is \22big\22" : i1
    tl.device_assert(n > 3, 'n is "big"')
    # CHECK: tt.assert
    assert n > 4, "more"
    # CHECK: llvm.intr.assume %{{.*}} : i1
    tl.assume(n > 0)
    # CHECK: ttg.barrier all
    tl.debug_barrier()


@filecheck(x="*fp32")
@blockdsl.jit
def test_hints_sit_on_the_value(x):
    # CHECK: tt.make_range {end = 64 : i32, start = 0 : i32, tt.contiguity = dense<64> : tensor<1xi32>,
    # CHECK-SAME: tt.divisibility = dense<16> : tensor<1xi32>}
    at = tl.max_contiguous(tl.multiple_of(tl.arange(0, 64), 16), 64)
    tl.store(x + at, 0.0)

"""Tests of the IR of statements: ifs, loops, calls, returns, and branches that compile-time values remove."""

from filecheck import filecheck, module_of

import blockdsl
import blockdsl.language as tl


@filecheck(x="*fp32", n="i32")
@blockdsl.jit
def test_if_yields_changed_values(x, n):
    same, value = 1.0, 0.0
    # CHECK: %[[C:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : i32
    # CHECK: %[[V:.*]] = scf.if %[[C]] -> (f32) {
    if n > 3:
        # CHECK: %[[L:.*]] = tt.load
        # CHECK: scf.yield %[[L]] : f32
        value = tl.load(x)
    # CHECK: } else {
    # CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
    # CHECK: scf.yield %[[Z]] : f32
    # CHECK: arith.addf %[[V]]
    tl.store(x, value + same)


@filecheck(x="*fp32", n="i32", FLAG=False)
@blockdsl.jit
def test_compile_time_if_emits_nothing(x, n, FLAG: tl.constexpr):
    # CHECK-LABEL: @test_compile_time_if
    # CHECK-NOT: scf.if
    # CHECK-NOT: cf.cond_br
    if FLAG and n > 3:
        tl.store(x, 1.0)
    elif FLAG is None:
        tl.store(x, 2.0)
    # CHECK: arith.constant 3.0
    else:
        tl.store(x, 3.0)


@filecheck(x="*fp32", n="i32")
@blockdsl.jit
def test_early_return_is_a_jump(x, n):
    # CHECK: cf.cond_br %{{.*}}, ^[[OUT:.*]], ^[[ON:bb[0-9]+]]
    # CHECK-NEXT: ^[[OUT]]:
    # CHECK-NEXT: tt.return
    # CHECK-NEXT: ^[[ON]]:
    # CHECK: tt.store
    # CHECK-NEXT: tt.return
    if n == 0:
        return
    tl.store(x, 1.0)


@filecheck(x="*fp32", n="i32", K=16)
@blockdsl.jit
def test_loop_carries_blocks_pointers_and_numbers(x, n, K: tl.constexpr):
    ptrs = x + tl.arange(0, K)
    total = tl.zeros((K,), tl.float32)
    count = 0
    # CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(
    # CHECK-SAME: -> (tensor<16x!tt.ptr<f32>>, tensor<16xf32>, i32) : i32 {
    # CHECK: scf.yield %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<f32>>, tensor<16xf32>, i32
    for i in range(0, n, K):
        total += tl.load(ptrs)
        ptrs += K
        count += 1
    tl.store(x + tl.arange(0, K), total + count)


@filecheck(x="*fp32", n="i64")
@blockdsl.jit
def test_loop_bounds_meet_in_one_type(x, n):
    # CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i64 {
    for i in range(n):
        tl.store(x + i, 0.0)


@filecheck(x="*fp32", n="i32")
@blockdsl.jit
def test_loop_attributes(x, n):
    # CHECK: } {tt.flatten, tt.loop_unroll_factor = 2 : i32, tt.num_stages = 3 : i32}
    for i in tl.range(0, n, num_stages=3, loop_unroll_factor=2, flatten=True):
        tl.store(x + i, 0.0)


@filecheck(x="*fp32")
@blockdsl.jit
def test_static_range_is_unrolled(x):
    # CHECK-NOT: scf.for
    # CHECK-COUNT-3: tt.store
    # CHECK-NOT: tt.store
    for i in tl.static_range(3):
        tl.store(x + i, 0.0)


@filecheck(x="*fp32", n="i32")
@blockdsl.jit
def test_while_evaluates_its_condition_on_carried_values(x, n):
    left = n
    # CHECK: scf.while (%[[L:.*]] = %{{.*}}) : (i32) -> i32 {
    # CHECK: %[[C:.*]] = arith.cmpi sgt, %[[L]]
    # CHECK: scf.condition(%[[C]]) %[[L]] : i32
    # CHECK: } do {
    # CHECK: scf.yield %{{.*}} : i32
    while left > 0:
        left -= 2
    tl.store(x, left)


@blockdsl.jit
def pair(a, b=2):
    return a + b, a * b


@filecheck(x="*i32", n="i32")
@blockdsl.jit
def test_functions_are_compiled_once_for_each_types(x, n):
    # CHECK: %[[P:.*]]:2 = tt.call @{{.*}}pair__i32_c2(%{{.*}}) : (i32) -> (i32, i32)
    first, second = pair(n)
    # CHECK: tt.call @{{.*}}pair__i32_c2(%{{.*}}) : (i32) -> (i32, i32)
    again, _ = pair(first)
    # CHECK: tt.call @{{.*}}pair__i32_c3(%{{.*}}) : (i32) -> (i32, i32)
    more, _ = pair(n, b=3)
    tl.store(x, again + second + more)
    # CHECK: tt.func private @{{.*}}pair__i32_c2(%{{.*}}: i32) -> (i32, i32)
    # CHECK: tt.func private @{{.*}}pair__i32_c3(
    # CHECK-NOT: tt.func


@filecheck(locations=True, x="*fp32")
@blockdsl.jit
def test_every_op_has_a_location(x):
    # CHECK: tt.load %{{.*}} : !tt.ptr<f32> loc(#[[LOAD:loc[0-9]*]])
    # CHECK: arith.addf {{.*}} loc(#[[ADD:loc[0-9]*]])
    tl.store(x, tl.load(x) + 1.0)
    # CHECK-DAG: #[[LOAD]] = loc("test_every_op_has_a_location"(#[[LOAD_AT:loc[0-9]*]]))
    # CHECK-DAG: #[[ADD]] = loc("test_every_op_has_a_location"(#[[ADD_AT:loc[0-9]*]]))
    # CHECK-DAG: #[[LOAD_AT]] = loc("{{.*}}test_control_flow.py":{{[0-9]+}}:17 to :27)
    # CHECK-DAG: #[[ADD_AT]] = loc("{{.*}}test_control_flow.py":{{[0-9]+}}:17 to :33)


@blockdsl.jit
def guarded(x, n, UNUSED: tl.constexpr):
    kept = tl.load(x)
    for i in range(n):
        if UNUSED:
            kept = kept + 1
        tl.store(x + i, kept)


def test_names_of_pruned_statements_are_not_carried() -> None:
    text = str(module_of(guarded, x="*fp32", n="i32", UNUSED=False))
    assert "iter_args" not in text
    assert "iter_args" in str(module_of(guarded, x="*fp32", n="i32", UNUSED=True))


def test_divisibility_becomes_an_attribute() -> None:
    from blockdsl.frontend import Specialization, build_module
    from blockdsl.mlir import ir

    specialization = Specialization({"x": "*fp32", "n": "i32"}, {"UNUSED": False}, {"x": 16})
    text = str(build_module(guarded.source, specialization, ir.Context()))
    assert "%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg1: i32)" in text

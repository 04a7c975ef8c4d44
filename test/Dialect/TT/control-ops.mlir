// RUN: blockdsl-opt %s | blockdsl-opt | FileCheck %s
// RUN: blockdsl-opt %s --inline | FileCheck %s --check-prefix=INLINE

// CHECK-LABEL: tt.func private @square(%arg0: f32) -> f32 attributes {noinline = false}
tt.func private @square(%x: f32) -> f32 attributes {noinline = false} {
  %y = arith.mulf %x, %x : f32
  tt.return %y : f32
}

// CHECK: tt.func private @declared(i32) -> (i32, f32)
tt.func private @declared(i32) -> (i32, f32)

// CHECK-LABEL: tt.func public @kernel
// CHECK-SAME:    (%[[P:.*]]: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %[[X:.*]]: f32) attributes {noinline = false}
// INLINE-LABEL: tt.func public @kernel
tt.func public @kernel(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %x: f32) attributes {noinline = false} {
  // CHECK: tt.call @square(%[[X]]) : (f32) -> f32
  // INLINE: %[[Y:.*]] = arith.mulf
  %y = tt.call @square(%x) : (f32) -> f32
  // INLINE: tt.store %{{.*}}, %[[Y]]
  tt.store %p, %y : !tt.ptr<f32>
  // CHECK: tt.return{{$}}
  tt.return
}

tt.func private @kept(%x: f32) -> f32 attributes {noinline = true} {
  tt.return %x : f32
}

// INLINE-LABEL: tt.func public @noinline_is_not_inlined
tt.func public @noinline_is_not_inlined(%x: f32) -> f32 {
  // INLINE: tt.call @kept
  %y = tt.call @kept(%x) : (f32) -> f32
  tt.return %y : f32
}

tt.func private @early_return(%x: f32, %c: i1) -> f32 {
  cf.cond_br %c, ^early, ^late
^early:
  tt.return %x : f32
^late:
  %y = arith.negf %x : f32
  tt.return %y : f32
}

// INLINE-LABEL: tt.func public @several_blocks_are_inlined
// INLINE-SAME:    (%[[X:.*]]: f32, %[[C:.*]]: i1)
tt.func public @several_blocks_are_inlined(%x: f32, %c: i1) -> f32 {
  // INLINE:   cf.cond_br %[[C]], ^[[END:bb[0-9]+]](%[[X]] : f32), ^[[LATE:bb[0-9]+]]
  // INLINE: ^[[LATE]]:
  // INLINE:   %[[Y:.*]] = arith.negf %[[X]]
  // INLINE:   cf.br ^[[END]](%[[Y]] : f32)
  // INLINE: ^[[END]](%[[R:.*]]: f32):
  // INLINE:   tt.return %[[R]]
  %y = tt.call @early_return(%x, %c) : (f32, i1) -> f32
  tt.return %y : f32
}

// A region of one block cannot hold the callee's three. See tt-lift-control-flow.
// INLINE-LABEL: tt.func public @several_blocks_stay_out_of_a_loop
tt.func public @several_blocks_stay_out_of_a_loop(%x: f32, %c: i1, %n: i32) -> f32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // INLINE: scf.for
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (f32) : i32 {
    // INLINE: tt.call @early_return
    %y = tt.call @early_return(%a, %c) : (f32, i1) -> f32
    scf.yield %y : f32
  }
  tt.return %r : f32
}

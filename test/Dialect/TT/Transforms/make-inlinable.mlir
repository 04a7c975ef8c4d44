// RUN: blockdsl-opt %s --tt-make-inlinable | FileCheck %s
// RUN: blockdsl-opt %s --tt-make-inlinable --inline --symbol-dce | FileCheck %s --check-prefix=INLINE

// CHECK-LABEL: tt.func private @early_return
// CHECK-SAME:    (%[[X:.*]]: f32, %[[C:.*]]: i1) -> f32 {
// CHECK:         %[[R:.*]] = scf.if %[[C]] -> (f32) {
// CHECK-NEXT:      scf.yield %[[X]]
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[Y:.*]] = arith.negf %[[X]]
// CHECK-NEXT:      scf.yield %[[Y]]
// CHECK-NEXT:    }
// CHECK-NEXT:    tt.return %[[R]]
tt.func private @early_return(%x: f32, %c: i1) -> f32 attributes {noinline = true} {
  cf.cond_br %c, ^early, ^late
^early:
  tt.return %x : f32
^late:
  %y = arith.negf %x : f32
  tt.return %y : f32
}

// A body that returns, as Triton's front end emits it: the block after it is unreachable.
// CHECK-LABEL: tt.func private @unreachable_block
// CHECK-NEXT:    tt.return %{{.*}} : f32
// CHECK-NEXT:  }
tt.func private @unreachable_block(%x: f32) -> f32 {
  tt.return %x : f32
^after:
  %y = ub.poison : f32
  tt.return %y : f32
}

// CHECK-LABEL: tt.func public @kernel
// INLINE-LABEL: tt.func public @kernel
tt.func public @kernel(%p: !tt.ptr<f32>, %x: f32, %c: i1, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // INLINE-NOT: tt.call
  // INLINE: scf.for
  // INLINE:   arith.negf
  // INLINE: tt.store
  %r = scf.for %i = %zero to %n step %one iter_args(%a = %x) -> (f32) : i32 {
    %y = tt.call @early_return(%a, %c) : (f32, i1) -> f32
    %z = tt.call @unreachable_block(%y) : (f32) -> f32
    scf.yield %z : f32
  }
  tt.store %p, %r : !tt.ptr<f32>
  tt.return
}

// A kernel that returns early: the rest runs under the condition.
// CHECK-LABEL: tt.func public @kernel_returns_early
// CHECK-SAME:    (%[[P:.*]]: !tt.ptr<f32>, %[[C:.*]]: i1)
tt.func public @kernel_returns_early(%p: !tt.ptr<f32>, %c: i1) {
  cf.cond_br %c, ^stop, ^go
^stop:
  tt.return
^go:
  // CHECK:     scf.if %[[C]] {
  // CHECK-NEXT: } else {
  // CHECK:       tt.store %[[P]]
  // CHECK:     }
  // CHECK-NEXT: tt.return
  %v = arith.constant 1.0 : f32
  tt.store %p, %v : !tt.ptr<f32>
  tt.return
}

// CHECK-LABEL: tt.func public @map_with_branches
tt.func public @map_with_branches(%x: tensor<64xi32>) -> tensor<64xi32> {
  // CHECK:      "tt.map_elementwise"
  // CHECK-NEXT: ^bb0(%[[A:.*]]: i32):
  // CHECK-NOT:  {{ cf\.}}
  // CHECK:      %[[R:.*]] = scf.if
  // CHECK:      tt.map_elementwise.return %[[R]] : i32
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %zero = arith.constant 0 : i32
    %less = arith.cmpi slt, %a, %zero : i32
    cf.cond_br %less, ^negative, ^end(%a : i32)
  ^negative:
    %b = arith.subi %zero, %a : i32
    cf.br ^end(%b : i32)
  ^end(%c: i32):
    tt.map_elementwise.return %c : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return %0 : tensor<64xi32>
}

// Both edges lead to one block, as after canonicalization.
// CHECK-LABEL: tt.func public @map_with_two_edges
tt.func public @map_with_two_edges(%x: tensor<64xi32>) -> tensor<64xi32> {
  // CHECK-NOT: {{ cf\.}}
  // CHECK:     tt.map_elementwise.return
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %zero = arith.constant 0 : i32
    %less = arith.cmpi slt, %a, %zero : i32
    cf.cond_br %less, ^end(%zero : i32), ^end(%a : i32)
  ^end(%c: i32):
    tt.map_elementwise.return %c : i32
  }) : (tensor<64xi32>) -> tensor<64xi32>
  tt.return %0 : tensor<64xi32>
}

// An infinite loop is infinite in scf too; its result is poison.
// CHECK-LABEL: tt.func private @forever
tt.func private @forever(%p: !tt.ptr<f32>, %x: f32) -> f32 {
  cf.br ^loop
^loop:
  // CHECK: scf.while
  // CHECK:   tt.store
  // CHECK: %[[P:.*]] = ub.poison : f32
  // CHECK: tt.return %[[P]] : f32
  tt.store %p, %x : !tt.ptr<f32>
  cf.br ^loop
}

// Three exits of nested branches: a number identifies the exit, and ifs test it.
// CHECK-LABEL: tt.func public @several_ways_out
// CHECK-NOT:   scf.index_switch
// CHECK:       %[[WAY:.*]]:2 = scf.if
// CHECK:       arith.cmpi eq, %[[WAY]]#{{[01]}}, %{{.*}} : i32
// CHECK-NEXT:  scf.if
// CHECK:       tt.return
tt.func public @several_ways_out(%p: !tt.ptr<i32>, %a: i1, %b: i1, %c: i1) {
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  cf.cond_br %a, ^left, ^right
^left:
  cf.cond_br %b, ^join(%one : i32), ^stop
^stop:
  tt.return
^right:
  cf.cond_br %c, ^join(%two : i32), ^other
^other:
  tt.store %p, %one : !tt.ptr<i32>
  tt.return
^join(%v: i32):
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: tt.func public @switch
// CHECK-SAME:    (%[[P:.*]]: !tt.ptr<i32>, %[[N:.*]]: i32)
tt.func public @switch(%p: !tt.ptr<i32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  // CHECK:      %[[SEVEN:.*]] = arith.constant 7 : i32
  // CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi eq, %[[N]], %[[SEVEN]] : i32
  // CHECK-NEXT: %[[R:.*]] = scf.if %[[FIRST]] -> (i32) {
  // CHECK:      } else {
  // CHECK-NEXT:   %[[MINUS:.*]] = arith.constant -9 : i32
  // CHECK-NEXT:   %[[SECOND:.*]] = arith.cmpi eq, %[[N]], %[[MINUS]] : i32
  // CHECK-NEXT:   %[[INNER:.*]] = scf.if %[[SECOND]] -> (i32) {
  // CHECK:        } else {
  // CHECK:        }
  // CHECK-NEXT:   scf.yield %[[INNER]] : i32
  // CHECK-NEXT: }
  // CHECK-NEXT: tt.store %[[P]], %[[R]]
  cf.switch %n : i32, [
    default: ^end(%n : i32),
    7: ^end(%zero : i32),
    -9: ^end(%one : i32)
  ]
^end(%v: i32):
  tt.store %p, %v : !tt.ptr<i32>
  tt.return
}

// A parsed switch becomes nested ifs; without cases only its default remains.
// CHECK-LABEL: tt.func @index_switch
tt.func @index_switch(%i: index, %x: f32, %p: !tt.ptr<f32>) -> f32 {
  // CHECK: %[[IS2:.*]] = arith.cmpi eq, %{{.*}}, %c2 : index
  // CHECK: scf.if %[[IS2]] -> (f32) {
  // CHECK: } else {
  // CHECK: arith.cmpi eq, %{{.*}}, %c-3 : index
  // CHECK: scf.if
  // CHECK: math.absf
  // CHECK: } else {
  // CHECK: math.exp
  // CHECK-NOT: scf.index_switch
  %0 = scf.index_switch %i -> f32
  case 2 {
    scf.yield %x : f32
  }
  case -3 {
    %1 = math.absf %x : f32
    scf.yield %1 : f32
  }
  default {
    %2 = math.exp %x : f32
    scf.yield %2 : f32
  }
  // CHECK: tt.store
  scf.index_switch %i
  default {
    tt.store %p, %0 : !tt.ptr<f32>
    scf.yield
  }
  tt.return %0 : f32
}

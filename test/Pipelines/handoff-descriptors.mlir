// RUN: blockdsl-opt %s --blockdsl-to-handoff | FileCheck %s --check-prefix=KEPT
// RUN: blockdsl-opt %s --blockdsl-to-handoff="gathers-rows=false" | FileCheck %s --check-prefix=APART

// KEPT-LABEL:  tt.func public @rows
// KEPT-SAME:     (%{{.*}}: !tt.tensordesc<1x64xf32>,
// KEPT:          tt.descriptor_gather
// APART-LABEL: tt.func public @rows
// APART-SAME:    (%{{.*}}: !tt.ptr<f32>, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i64, %{{.*}}: i64,
// APART:         tt.load {{.*}} : tensor<8x64x!tt.ptr<f32>>
tt.func public @rows(%d: !tt.tensordesc<1x64xf32>, %m: i32, %n: i32, %s: i64, %one: i64, %out: !tt.ptr<f32>) {
  %rows = tt.make_range {end = 8 : i32, start = 0 : i32} : tensor<8xi32>
  %x = tt.descriptor_gather %d[%rows, %n] : (!tt.tensordesc<1x64xf32>, tensor<8xi32>, i32) -> tensor<8x64xf32>
  %p = tt.splat %out : !tt.ptr<f32> -> tensor<8x64x!tt.ptr<f32>>
  tt.store %p, %x : tensor<8x64x!tt.ptr<f32>>
  tt.return
}

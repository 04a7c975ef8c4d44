// RUN: blockdsl-opt %s -tt-verify-kernels | FileCheck %s

// A module may have two kernels on a CPU, with the parameters of launches: numbers, pointers and descriptors.
// CHECK: tt.func public @first(%{{.*}}: !tt.ptr<f32>, %{{.*}}: !tt.tensordesc<64xf32>
tt.func public @first(%p: !tt.ptr<f32>, %d: !tt.tensordesc<64xf32>, %n: i32, %s: i64) { tt.return }
// CHECK: tt.func @second(%{{.*}}: i1, %{{.*}}: f64, %{{.*}}: !tt.ptr<!tt.ptr<i8>>)
tt.func @second(%b: i1, %x: f64, %q: !tt.ptr<!tt.ptr<i8>>) { tt.return }

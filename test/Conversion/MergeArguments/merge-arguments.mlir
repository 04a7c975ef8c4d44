// RUN: blockdsl-opt %s "--merge-arguments=leaders=0,1,0" -split-input-file | FileCheck %s

// The first argument replaces both, with the attributes of both.
// CHECK-LABEL: tt.func @add_in_place
// CHECK-SAME:    %[[X:.*]]: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}, %[[Y:.*]]: !tt.ptr<f32>, %{{.*}}: !tt.ptr<f32>
// CHECK:         tt.load %[[X]]
// CHECK:         tt.load %[[Y]]
// CHECK:         tt.store %[[X]]
tt.func @add_in_place(%x: !tt.ptr<f32> {tt.divisibility = 8 : i32}, %y: !tt.ptr<f32>,
                      %out: !tt.ptr<f32> {tt.divisibility = 16 : i32, tt.pointer_range = 32 : i32}) {
  %a = tt.load %x : !tt.ptr<f32>
  %b = tt.load %y : !tt.ptr<f32>
  %c = arith.addf %a, %b : f32
  tt.store %out, %c : !tt.ptr<f32>
  tt.return
}

// -----

// The first argument is stored through after merging, so it and blocks of its addresses get a writable pointer type.
// CHECK-LABEL: tt.func @add_in_place_through_const
// CHECK-SAME:    %[[X:.*]]: !tt.ptr<f32>, %{{.*}}: !tt.ptr<f32>, %{{.*}}: !tt.ptr<f32>)
// CHECK-NOT:     constant
// CHECK:         %[[S:.*]] = tt.splat %[[X]] : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
// CHECK:         tt.load %[[S]] : tensor<64x!tt.ptr<f32>>
// CHECK:         %[[T:.*]] = tt.splat %[[X]] : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
// CHECK:         tt.store %[[T]]
tt.func @add_in_place_through_const(%x: !tt.ptr<f32, "constant">, %y: !tt.ptr<f32, "constant">, %out: !tt.ptr<f32>) {
  %xs = tt.splat %x : !tt.ptr<f32, "constant"> -> tensor<64x!tt.ptr<f32, "constant">>
  %a = tt.load %xs : tensor<64x!tt.ptr<f32, "constant">>
  %b = tt.load %y : !tt.ptr<f32, "constant">
  %bs = tt.splat %b : f32 -> tensor<64xf32>
  %c = arith.addf %a, %bs : tensor<64xf32>
  %outs = tt.splat %out : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  tt.store %outs, %c : tensor<64x!tt.ptr<f32>>
  tt.return
}

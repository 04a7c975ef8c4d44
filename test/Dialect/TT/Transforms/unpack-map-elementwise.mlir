// RUN: blockdsl-opt %s --tt-unpack-map-elementwise | FileCheck %s

// Elements 0, 2, 4 ... and 1, 3, 5 ... of each operand; the results are interleaved again.
// CHECK-LABEL: tt.func @pairs
// CHECK-SAME:    %[[X:.*]]: tensor<64xi32>, %[[Y:.*]]: tensor<64xi16>
// CHECK:         %[[XP:.*]] = tt.reshape %[[X]] : tensor<64xi32> -> tensor<32x2xi32>
// CHECK:         %[[X0:.*]], %[[X1:.*]] = tt.split %[[XP]]
// CHECK:         %[[YP:.*]] = tt.reshape %[[Y]]
// CHECK:         %[[Y0:.*]], %[[Y1:.*]] = tt.split %[[YP]]
// CHECK:         %[[R:.*]]:2 = "tt.map_elementwise"(%[[X0]], %[[X1]], %[[Y0]], %[[Y1]]) <{pack = 1 : i32}> ({
// CHECK:         ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32, %{{.*}}: i16, %{{.*}}: i16):
// CHECK:           tt.map_elementwise.return %[[B]], %[[A]] : i32, i32
// CHECK:         }) : (tensor<32xi32>, tensor<32xi32>, tensor<32xi16>, tensor<32xi16>) -> (tensor<32xi32>, tensor<32xi32>)
// CHECK:         %[[J:.*]] = tt.join %[[R]]#0, %[[R]]#1
// CHECK:         %[[OUT:.*]] = tt.reshape %[[J]] : tensor<32x2xi32> -> tensor<64xi32>
// CHECK:         tt.return %[[OUT]]
tt.func @pairs(%x: tensor<64xi32>, %y: tensor<64xi16>) -> tensor<64xi32> {
  %0 = "tt.map_elementwise"(%x, %y) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i16, %d: i16):
    tt.map_elementwise.return %b, %a : i32, i32
  }) : (tensor<64xi32>, tensor<64xi16>) -> tensor<64xi32>
  tt.return %0 : tensor<64xi32>
}

// Of four, each half is split once more: first those of 0 and 2, then those of 1 and 3.
// CHECK-LABEL: tt.func @fours
// CHECK:         %[[EVEN:.*]], %[[ODD:.*]] = tt.split %{{.*}} : tensor<4x8x2xf32> -> tensor<4x8xf32>
// CHECK:         %[[E:.*]] = tt.reshape %[[EVEN]] : tensor<4x8xf32> -> tensor<4x4x2xf32>
// CHECK:         %[[P0:.*]], %[[P2:.*]] = tt.split %[[E]]
// CHECK:         %[[O:.*]] = tt.reshape %[[ODD]]
// CHECK:         %[[P1:.*]], %[[P3:.*]] = tt.split %[[O]]
// CHECK:         "tt.map_elementwise"(%[[P0]], %[[P1]], %[[P2]], %[[P3]]) <{pack = 1 : i32}>
tt.func @fours(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = "tt.map_elementwise"(%x) <{pack = 4 : i32}> ({
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    tt.map_elementwise.return %d, %c, %b, %a : f32, f32, f32, f32
  }) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  tt.return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: tt.func @single
// CHECK-NOT:     tt.split
// CHECK:         "tt.map_elementwise"(%{{.*}}) <{pack = 1 : i32}>
tt.func @single(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = "tt.map_elementwise"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    tt.map_elementwise.return %a : f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tt.return %0 : tensor<16xf32>
}

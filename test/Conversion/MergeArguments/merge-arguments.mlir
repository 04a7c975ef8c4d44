// RUN: blockdsl-opt %s "--merge-arguments=leaders=0,1,0" | FileCheck %s

// The first argument stands for both, and what is known of the address by either name is known of it.
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

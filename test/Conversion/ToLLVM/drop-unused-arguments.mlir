// RUN: blockdsl-opt %s --drop-unused-arguments | FileCheck %s

// CHECK-LABEL: llvm.func internal @stores(
// CHECK-SAME:    %[[P:[^:]*]]: !llvm.ptr {llvm.noalias}, %[[X:[^:]*]]: i64 {llvm.signext}) {
// CHECK-NEXT:    llvm.store %[[X]], %[[P]]
llvm.func internal @stores(%p: !llvm.ptr {llvm.noalias}, %unused: i32, %x: i64 {llvm.signext}, %last: f32) {
  llvm.store %x, %p : i64, !llvm.ptr
  llvm.return
}

// CHECK-LABEL: llvm.func @called_from_anywhere(%{{.*}}: i32)
llvm.func @called_from_anywhere(%unused: i32) {
  llvm.return
}

// CHECK-LABEL: llvm.func internal @has_an_address(%{{.*}}: i32)
llvm.func internal @has_an_address(%unused: i32) {
  llvm.return
}

// CHECK-LABEL: llvm.func internal @result(%{{.*}}: i32) -> i32
llvm.func internal @result(%unused: i64, %x: i32) -> i32 {
  llvm.return %x : i32
}

// CHECK-LABEL: llvm.func @calls(
// CHECK-SAME:    %[[P:[^:]*]]: !llvm.ptr, %[[I:[^:]*]]: i32, %[[X:[^:]*]]: i64
llvm.func @calls(%p: !llvm.ptr, %i: i32, %x: i64, %f: f32) -> !llvm.ptr {
  // CHECK-NEXT: llvm.call @stores(%[[P]], %[[X]]) : (!llvm.ptr, i64) -> ()
  llvm.call @stores(%p, %i, %x, %f) : (!llvm.ptr, i32, i64, f32) -> ()
  // CHECK-NEXT: llvm.call @result(%[[I]]) : (i32) -> i32
  %0 = llvm.call @result(%x, %i) : (i64, i32) -> i32
  // CHECK-NEXT: llvm.call @has_an_address(%[[I]]) : (i32) -> ()
  llvm.call @has_an_address(%i) : (i32) -> ()
  %1 = llvm.mlir.addressof @has_an_address : !llvm.ptr
  llvm.return %1 : !llvm.ptr
}

// RUN: blockdsl-opt %s -split-input-file --place-buffers=stack-bytes=1024 -cse | FileCheck %s
// RUN: blockdsl-opt %s -split-input-file --place-buffers=stack-bytes=65536 -cse | FileCheck %s --check-prefix=ROOM

// A buffer reuses the memory of a buffer that is no longer live. One of 512 bytes is used at the start and at the end.
// CHECK-LABEL: func.func @one_after_another
// CHECK:         %[[FIRST:.*]] = llvm.alloca %c512_i64 x i8 {alignment = 64 : i64}
// CHECK:         %[[SECOND:.*]] = llvm.alloca %c128_i64 x f32 {alignment = 64 : i64}
// CHECK-NOT:     alloca
// CHECK:         llvm.store %arg1, %[[FIRST]]
// CHECK:         llvm.store %arg1, %[[SECOND]]
// CHECK:         llvm.load %[[FIRST]]
// CHECK:         llvm.store %{{.*}}, %[[FIRST]]
// CHECK:         llvm.load %[[SECOND]]
// CHECK:         llvm.load %[[FIRST]]

// If all buffers fit, each has its own slot, which LLVM can split.
// ROOM-LABEL: func.func @one_after_another
// ROOM-COUNT-3: llvm.alloca %c128_i64 x f32
// ROOM-NOT:     alloca
// ROOM-LABEL: func.func @turns
func.func @one_after_another(%p: !llvm.ptr, %x: f32) attributes {blockdsl.kernel} {
  %n = arith.constant 128 : i64
  %a = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  %b = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  %c = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  llvm.store %x, %a : f32, !llvm.ptr
  llvm.store %x, %b : f32, !llvm.ptr
  %0 = llvm.load %a : !llvm.ptr -> f32
  llvm.store %0, %c : f32, !llvm.ptr
  %1 = llvm.load %b : !llvm.ptr -> f32
  %2 = llvm.load %c : !llvm.ptr -> f32
  %3 = arith.addf %1, %2 : f32
  llvm.store %3, %p : f32, !llvm.ptr
  return
}

// -----

// A buffer that is read in a loop is live in all iterations. A buffer that is allocated in a loop is only live there.
// CHECK-LABEL: func.func @turns
// CHECK:         %[[CARRIED:.*]] = llvm.alloca %c128_i64 x f32
// CHECK:         %[[TURN:.*]] = llvm.alloca %c512_i64 x i8
// CHECK-NOT:     alloca
// CHECK:         llvm.store %arg1, %[[CARRIED]]
// CHECK:         scf.for
// CHECK:           llvm.load %[[CARRIED]]
// CHECK:           llvm.store %{{.*}}, %[[TURN]]
// CHECK:           llvm.load %[[TURN]]
// CHECK:           llvm.store %{{.*}}, %[[TURN]]
// CHECK:           llvm.load %[[TURN]]
func.func @turns(%p: !llvm.ptr, %x: f32, %turns: index) attributes {blockdsl.kernel} {
  %n = arith.constant 128 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  llvm.store %x, %a : f32, !llvm.ptr
  scf.for %i = %c0 to %turns step %c1 {
    %b = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
    %c = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
    %0 = llvm.load %a : !llvm.ptr -> f32
    llvm.store %0, %b : f32, !llvm.ptr
    %1 = llvm.load %b : !llvm.ptr -> f32
    llvm.store %1, %c : f32, !llvm.ptr
    %2 = llvm.load %c : !llvm.ptr -> f32
    llvm.store %2, %p : f32, !llvm.ptr
  }
  return
}

// -----

// An address that was computed from a buffer keeps it live, and so does the use by an op with regions.
// CHECK-LABEL: func.func @addresses
// CHECK-COUNT-2: llvm.alloca %c128_i64 x f32
// CHECK:         llvm.getelementptr %arg2[%c0_i64]
func.func @addresses(%p: !llvm.ptr, %x: f32, %scratch: !llvm.ptr {blockdsl.scratch}) attributes {blockdsl.kernel} {
  %n = arith.constant 128 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  %b = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  %c = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  %within = llvm.getelementptr %a[4] : (!llvm.ptr) -> !llvm.ptr, f32
  llvm.store %x, %b : f32, !llvm.ptr
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%q = %c) -> !llvm.ptr {
    scf.yield %q : !llvm.ptr
  }
  llvm.store %x, %last : f32, !llvm.ptr
  llvm.store %x, %within : f32, !llvm.ptr
  return
}

// -----

// Small buffers stay on the stack. Buffers in scratch memory share it too.
// CHECK: module attributes {blockdsl.scratch_bytes = 6144 : i64}
// CHECK-LABEL: func.func @beyond_the_stack
// CHECK-DAG:     %[[SMALL:.*]] = llvm.alloca %c16_i64 x f32
// CHECK-DAG:     %[[LARGE:.*]] = llvm.getelementptr %arg2[%c0_i64]
// CHECK-DAG:     %[[OTHER:.*]] = llvm.getelementptr %arg2[%c4096_i64]
// CHECK:         llvm.store %arg1, %[[SMALL]]
// CHECK:         llvm.store %arg1, %[[LARGE]]
// CHECK:         llvm.store %arg1, %[[OTHER]]
// CHECK:         llvm.load %[[OTHER]]
// CHECK:         llvm.load %[[LARGE]]
// CHECK:         llvm.load %[[SMALL]]
// CHECK:         llvm.store %{{.*}}, %[[LARGE]]
module {
  func.func @beyond_the_stack(%p: !llvm.ptr, %x: f32, %scratch: !llvm.ptr {blockdsl.scratch}) attributes {blockdsl.kernel} {
    %few = arith.constant 16 : i64
    %many = arith.constant 1024 : i64
    %half = arith.constant 512 : i64
    %a = llvm.alloca %few x f32 : (i64) -> !llvm.ptr
    %b = llvm.alloca %many x f32 : (i64) -> !llvm.ptr
    %c = llvm.alloca %half x f32 : (i64) -> !llvm.ptr
    %d = llvm.alloca %many x f32 : (i64) -> !llvm.ptr
    llvm.store %x, %a : f32, !llvm.ptr
    llvm.store %x, %b : f32, !llvm.ptr
    llvm.store %x, %c : f32, !llvm.ptr
    %0 = llvm.load %c : !llvm.ptr -> f32
    %1 = llvm.load %b : !llvm.ptr -> f32
    %2 = llvm.load %a : !llvm.ptr -> f32
    %3 = arith.addf %0, %1 : f32
    %4 = arith.addf %2, %3 : f32
    llvm.store %4, %d : f32, !llvm.ptr
    %5 = llvm.load %d : !llvm.ptr -> f32
    llvm.store %5, %p : f32, !llvm.ptr
    return
  }
}

// -----

// A buffer whose address is stored as a number is live to the end, because the number may be loaded anywhere. So is one
// that the next program reads. A zeroed buffer is on the stack, where it is initialized.
// CHECK-LABEL: func.func @known_by_other_names
// CHECK:         llvm.alloca %c128_i64 x f32 {alignment = 64 : i64}
// CHECK:         llvm.alloca %c128_i64 x f32 {alignment = 64 : i64, blockdsl.kept}
// CHECK:         llvm.alloca %c128_i64 x i64 {alignment = 64 : i64, blockdsl.kept, blockdsl.zeroed}
// CHECK:         %[[LAST:.*]] = llvm.getelementptr %arg2
// CHECK:         llvm.store %arg1, %[[LAST]]
// CHECK:         return
func.func @known_by_other_names(%p: !llvm.ptr, %x: f32, %scratch: !llvm.ptr {blockdsl.scratch}) attributes {blockdsl.kernel} {
  %n = arith.constant 128 : i64
  %zero = arith.constant 0 : i64
  %a = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  %b = llvm.alloca %n x f32 {blockdsl.kept} : (i64) -> !llvm.ptr
  %c = llvm.alloca %n x f32 : (i64) -> !llvm.ptr
  %d = llvm.alloca %n x i64 {blockdsl.kept, blockdsl.zeroed} : (i64) -> !llvm.ptr
  llvm.store %x, %a : f32, !llvm.ptr
  %number = llvm.ptrtoint %a : !llvm.ptr to i64
  llvm.store %number, %p : i64, !llvm.ptr
  llvm.store %x, %b : f32, !llvm.ptr
  llvm.store %x, %c : f32, !llvm.ptr
  %0 = llvm.load %c : !llvm.ptr -> f32
  llvm.store %0, %p : f32, !llvm.ptr
  llvm.store %zero, %d : i64, !llvm.ptr
  return
}

// RUN: blockdsl-opt %s -convert-launch-abi -split-input-file | FileCheck %s

// The inner function keeps attributes of pointers and carries the ids; the outer one unpacks slots in order.

// CHECK-LABEL: func.func private @ids.programs
// CHECK-SAME:    %[[P:[^:]*]]: !llvm.ptr {llvm.align = 16 : i64, llvm.noalias}, %[[FIRST:[^:]*]]: i64 {blockdsl.first_program}, %[[LAST:[^:]*]]: i64,
// CHECK-SAME:    %[[GX:[^:]*]]: i32, %[[GY:[^:]*]]: i32, %[[GZ:[^:]*]]: i32, %{{[^:]*}}: !llvm.ptr, %{{[^:]*}}: !llvm.ptr {blockdsl.scratch})
// CHECK-SAME:    llvm.linkage = #llvm.linkage<internal>, passthrough = ["noinline"]
// CHECK:         %[[X0:.*]] = arith.trunci
// CHECK:         %[[Y0:.*]] = arith.trunci
// CHECK:         %[[Z0:.*]] = arith.trunci
// CHECK:         scf.for %{{.*}} = %[[FIRST]] to %[[LAST]] step %{{.*}} iter_args(%[[X:.*]] = %[[X0]], %[[Y:.*]] = %[[Y0]], %[[Z:.*]] = %[[Z0]])
// CHECK:           %[[X1:.*]] = arith.addi %[[X]], %{{.*}}
// CHECK:           %[[XWRAPS:.*]] = arith.cmpi eq, %[[X1]], %[[GX]]
// CHECK:           %[[XNEXT:.*]] = arith.select %[[XWRAPS]], %{{.*}}, %[[X1]]
// CHECK:           %[[CARRY:.*]] = arith.extui %[[XWRAPS]]
// CHECK:           %[[Y1:.*]] = arith.addi %[[Y]], %[[CARRY]]
// CHECK:           %[[XY:.*]] = arith.addi %[[X]], %[[Y]]
// CHECK-NEXT:      %[[XYZ:.*]] = arith.addi %[[XY]], %[[Z]]
// CHECK-NEXT:      %[[N:.*]] = arith.addi %[[XYZ]], %[[GY]]
// CHECK-NEXT:      llvm.store %[[N]], %[[P]]
// CHECK-NEXT:      scf.yield %[[XNEXT]]

// CHECK-LABEL: func.func @ids(
// CHECK-SAME:    %[[SLOTS:[^:]*]]: !llvm.ptr, %[[FROM:[^:]*]]: i64, %[[TO:[^:]*]]: i64, %[[SCRATCH:[^:]*]]: !llvm.ptr)
// CHECK:         %[[S0:.*]] = llvm.getelementptr %[[SLOTS]][0]
// CHECK:         %[[A:.*]] = llvm.load %[[S0]] : !llvm.ptr -> !llvm.ptr
// CHECK:         %[[S4:.*]] = llvm.getelementptr %[[SLOTS]][4]
// CHECK:         %[[CONTEXT:.*]] = llvm.load %[[S4]] : !llvm.ptr -> !llvm.ptr
// CHECK:         call @ids.programs(%[[A]], %[[FROM]], %[[TO]], %{{.*}}, %{{.*}}, %{{.*}}, %[[CONTEXT]], %[[SCRATCH]])
func.func @ids(%p: !llvm.ptr {llvm.noalias, llvm.align = 16 : i64, tt.divisibility = 16 : i32}) attributes {blockdsl.kernel} {
  %x = tt.get_program_id x : i32
  %y = tt.get_program_id y : i32
  %z = tt.get_program_id z : i32
  %n = tt.get_num_programs y : i32
  %xy = arith.addi %x, %y : i32
  %xyz = arith.addi %xy, %z : i32
  %sum = arith.addi %xyz, %n : i32
  llvm.store %sum, %p : i32, !llvm.ptr
  return
}

// -----

// Numbers of all widths are at the start of their slot.

// CHECK-LABEL: func.func @scalars(
// CHECK:         %[[BYTE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK-NEXT:    %[[FLAG:.*]] = arith.trunci %[[BYTE]] : i8 to i1
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> i16
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> f16
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> bf16
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> f32
// CHECK:         llvm.load %{{.*}} : !llvm.ptr -> f64
// CHECK:         %[[BITS:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK-NEXT:    arith.bitcast %[[BITS]] : i8 to f8E5M2
func.func @scalars(%a: i1, %b: i8, %c: i16, %d: i64, %e: f16, %f: bf16, %g: f32, %h: f64, %i: f8E5M2) attributes {blockdsl.kernel} {
  return
}

// -----

// Buffers of a constant size are hoisted out of the loop and aligned to cache lines.

// CHECK-LABEL: func.func private @buffers.programs
// CHECK-DAG:     %[[A:.*]] = memref.alloca() {alignment = 64 : i64} : memref<8x16xf32>
// CHECK-DAG:     %[[B:.*]] = llvm.alloca %{{.*}} x f32 {alignment = 64 : i64}
// CHECK:         scf.for
// CHECK-NOT:     {{memref|llvm}}.alloca
// CHECK-LABEL: func.func @buffers
func.func @buffers(%p: !llvm.ptr, %flag: i1) attributes {blockdsl.kernel} {
  scf.if %flag {
    %x = llvm.load %p : !llvm.ptr -> vector<16xf32>
    %a = memref.alloca() : memref<8x16xf32>
    %size = llvm.mlir.constant(256 : i64) : i64
    %b = llvm.alloca %size x f32 : (i64) -> !llvm.ptr
    %zero = arith.constant 0 : index
    vector.store %x, %a[%zero, %zero] : memref<8x16xf32>, vector<16xf32>
    llvm.store %x, %b : vector<16xf32>, !llvm.ptr
  }
  return
}

// -----

// Scratch memory is an argument of the launcher, not a slot.

// CHECK-LABEL: func.func private @scratch.programs
// CHECK-SAME:    %[[P:[^:]*]]: !llvm.ptr, %{{.*}}: i64 {{.*}}, %{{.*}}: i64, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: !llvm.ptr, %[[SCRATCH:[^:]*]]: !llvm.ptr {blockdsl.scratch, llvm.noalias})
// CHECK:         llvm.store %{{.*}}, %[[SCRATCH]]
func.func @scratch(%p: !llvm.ptr, %scratch: !llvm.ptr {blockdsl.scratch, llvm.noalias}) attributes {blockdsl.kernel} {
  %x = llvm.load %p : !llvm.ptr -> f32
  llvm.store %x, %scratch : f32, !llvm.ptr
  return
}

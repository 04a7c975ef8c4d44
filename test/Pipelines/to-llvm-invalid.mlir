// RUN: not blockdsl-opt %s --blockdsl-to-llvm 2>&1 | FileCheck %s

// CHECK: error: 'llvm.call' op calls 'malloc', but kernels do not use the heap
func.func @allocates(%p: !llvm.ptr) attributes {blockdsl.kernel} {
  %zero = arith.constant 0 : index
  %buffer = memref.alloc() : memref<16xf32>
  %x = llvm.load %p : !llvm.ptr -> vector<16xf32>
  vector.store %x, %buffer[%zero] : memref<16xf32>, vector<16xf32>
  return
}

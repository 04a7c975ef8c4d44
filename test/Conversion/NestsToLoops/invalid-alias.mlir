// RUN: not blockdsl-opt %s -convert-linalg-to-nests=alias=some 2>&1 | FileCheck %s
// RUN: not blockdsl-opt %s -convert-nests-to-loops=alias=some 2>&1 | FileCheck %s
// RUN: not blockdsl-opt %s -cpu-fuse-epilogue=alias=some 2>&1 | FileCheck %s
// RUN: not blockdsl-opt %s -cpu-merge-iterations=alias=some 2>&1 | FileCheck %s

// CHECK: error: option 'alias' expects 'disjoint' or 'unknown', got 'some'
tt.func public @kernel() {
  tt.return
}

//===- Vectorizer.h - Common includes of the vectorizer ---------*- C++ -*-===//
//
// A precompiled header with the dialects that the vectorizer reads and creates.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_VECTORIZER_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_VECTORIZER_H

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_VECTORIZER_H

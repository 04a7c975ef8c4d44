//===- CacheHints.h - Parsing and printing of cache hints -------*- C++ -*-===//
// Triton's versions have two spellings of the cache hints of memory accesses.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_IR_CACHEHINTS_H
#define BLOCKDSL_LIB_DIALECT_TT_IR_CACHEHINTS_H

#include "blockdsl/Dialect/TT/IR/TT.h"

namespace blockdsl {

/// Parses hints as printed by Triton up to 3.8: `cacheModifier = cg evictionPolicy = evict_last`, in any order. Triton
/// 3.9 prints an ordinary attribute instead.
mlir::ParseResult parseCacheHints(mlir::OpAsmParser &parser, mlir::OperationState &result);

/// Prints the hints as the print version spells them, and all other attributes.
void printAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op, CachePolicyAttr policy,
                     llvm::SmallVector<llvm::StringRef> elided);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_IR_CACHEHINTS_H

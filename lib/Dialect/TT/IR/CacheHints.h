//===- CacheHints.h - the text of hints on caches ---------------*- C++ -*-===//
// Which Triton's versions spell in two ways, for all ops that access memory.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_LIB_DIALECT_TT_IR_CACHEHINTS_H
#define BLOCKDSL_LIB_DIALECT_TT_IR_CACHEHINTS_H

#include "blockdsl/Dialect/TT/IR/TT.h"

namespace blockdsl {

/// Reads the hints of Triton up to 3.8: `cacheModifier = cg evictionPolicy = evict_last`, in any order. What 3.9 prints
/// instead is an ordinary attribute.
mlir::ParseResult parseCacheHints(mlir::OpAsmParser &parser, mlir::OperationState &result);

/// Prints the hints and all other attributes, as the version printed for spells them.
void printAttributes(mlir::OpAsmPrinter &printer, mlir::Operation *op, CachePolicyAttr policy,
                     llvm::SmallVector<llvm::StringRef> elided);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_DIALECT_TT_IR_CACHEHINTS_H

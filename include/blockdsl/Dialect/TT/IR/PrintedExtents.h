//===- PrintedExtents.h - Attribute of prints in loops ----------*- C++ -*-===//
#ifndef BLOCKDSL_DIALECT_TT_IR_PRINTEDEXTENTS_H
#define BLOCKDSL_DIALECT_TT_IR_PRINTEDEXTENTS_H

#include "llvm/ADT/StringRef.h"

namespace blockdsl {

/// A discardable attribute of a `tt.print` in a loop over the elements of a block: the block's shape. The operands
/// after the first are the indices of the element, of type i32.
constexpr llvm::StringLiteral kPrintedExtents = "blockdsl.printed_extents";

} // namespace blockdsl

#endif // BLOCKDSL_DIALECT_TT_IR_PRINTEDEXTENTS_H

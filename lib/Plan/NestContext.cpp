//===- NestContext.cpp - Inputs of the decisions about a nest --------------===//

#include "blockdsl/Plan/NestContext.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace blockdsl {

bool VectorOptions::has(StringRef feature) const {
  return llvm::any_of(llvm::split(features, ','),
                      [&](StringRef name) { return name.consume_front("+") && name == feature; });
}

bool isInMemory(Value block) {
  Operation *op = block.getDefiningOp();
  // A constant whose elements differ becomes a global in memory.
  DenseElementsAttr elements;
  return !op || !isFusible(op) || (matchPattern(block, m_Constant(&elements)) && !elements.isSplat());
}

} // namespace blockdsl

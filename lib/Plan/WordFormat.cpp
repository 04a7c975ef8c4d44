//===- WordFormat.cpp - Layout of a matmul operand packed in 32-bit words ---===//

#include "blockdsl/Plan/WordFormat.h"

#include "blockdsl/Plan/NestConfig.h"

using namespace mlir;

namespace blockdsl {

static ArrayRef<int64_t> shapeOf(Value block) { return cast<RankedTensorType>(block.getType()).getShape(); }

/// Returns the dimension along which the block is best read in vectors, or -1.
static int contiguousDim(NestContext &context, Value block) {
  return chooseNestConfig(context, shapeOf(block), viewOf(block, shapeOf(block)), /*axis=*/-1).laneDim;
}

bool canPackWords(NestContext &context, Value block, int64_t common, int64_t group) {
  ArrayRef<int64_t> shape = shapeOf(block);
  return llvm::all_of(shape, [](int64_t size) { return llvm::isPowerOf2_64(size); }) && shape[common] >= group &&
         contiguousDim(context, block) != -1;
}

bool runsAlong(NestContext &context, Value block, int64_t dim) { return contiguousDim(context, block) == dim; }

} // namespace blockdsl

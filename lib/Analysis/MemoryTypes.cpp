//===- MemoryTypes.cpp - Layout of scalar types in memory --------------------===//

#include "blockdsl/Analysis/MemoryTypes.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

using namespace mlir;

namespace blockdsl {

Type getMemoryType(Type type) {
  if (isa<PtrType, LLVM::LLVMPointerType, IndexType>(type))
    return IntegerType::get(type.getContext(), 64);
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits < 8 || (isa<FloatType>(type) && bits == 8))
    return IntegerType::get(type.getContext(), 8);
  return type;
}

int64_t getByteSize(Type type) { return getMemoryType(type).getIntOrFloatBitWidth() / 8; }

} // namespace blockdsl

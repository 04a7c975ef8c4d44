//===- EmissionContext.cpp - Buffers of an emitted kernel ---------------------------===//

#include "EmissionContext.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace blockdsl {

constexpr int64_t kAlignment = 64;

Buffer EmissionContext::allocate(Location loc, ArrayRef<int64_t> shape, Type element, int64_t padding) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(home);
  Type memory = getMemoryType(element);
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  if (padding != 0)
    elements = elements / shape.back() * (shape.back() + padding);
  auto pointerType = LLVM::LLVMPointerType::get(builder.getContext());
  Value count = arith::ConstantIntOp::create(builder, loc, elements, 64);
  Value pointer = LLVM::AllocaOp::create(builder, loc, pointerType, memory, count, kAlignment);
  return {pointer, element, SmallVector<int64_t, 4>(shape), 0, padding};
}

Buffer EmissionContext::getPart(Location loc, const Buffer &buffer, Value index, unsigned level) {
  Buffer part{buffer.pointer, buffer.element, SmallVector<int64_t, 4>(ArrayRef(buffer.shape).drop_front()), level,
              buffer.padding};
  int64_t bytes = getByteSize(buffer.element) * part.pitch();
  for (int64_t size : ArrayRef(part.shape).drop_back())
    bytes *= size;
  Value offset = arith::IndexCastOp::create(builder, loc, builder.getI64Type(), index);
  offset = arith::MulIOp::create(builder, loc, offset, arith::ConstantIntOp::create(builder, loc, bytes, 64));
  part.pointer = LLVM::GEPOp::create(builder, loc, buffer.pointer.getType(), builder.getI8Type(), buffer.pointer,
                                     ArrayRef<LLVM::GEPArg>{offset});
  return part;
}

const Buffer &EmissionContext::getOrAllocate(Value block, int64_t padding) {
  block = resolve(block);
  auto found = buffers.find(block);
  if (found == buffers.end()) {
    auto type = cast<RankedTensorType>(block.getType());
    Buffer buffer = allocate(block.getLoc(), type.getShape(), type.getElementType(), padding);
    found = buffers.try_emplace(block, std::move(buffer)).first;
  }
  return found->second;
}

Buffer EmissionContext::getConstantTable(Location loc, DenseElementsAttr elements) {
  auto type = cast<RankedTensorType>(elements.getType());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(function);
  Type memory = getMemoryType(type.getElementType());
  SmallVector<APInt> raw;
  DenseElementsAttr flat;
  auto flatType = RankedTensorType::get({type.getNumElements()}, memory);
  if (memory == type.getElementType()) {
    flat = elements.reshape(flatType);
  } else if (isa<FloatType>(type.getElementType())) {
    flat = elements.bitcast(memory).reshape(flatType);
  } else {
    for (const APInt &value : elements.getValues<APInt>())
      raw.push_back(value.zext(8));
    flat = DenseElementsAttr::get(flatType, raw);
  }
  std::string name = (function.getName() + ".table" + Twine(tables++)).str();
  auto arrayType = LLVM::LLVMArrayType::get(memory, type.getNumElements());
  auto global = LLVM::GlobalOp::create(builder, loc, arrayType, /*isConstant=*/true, LLVM::Linkage::Internal, name,
                                       flat, kAlignment);
  builder.setInsertionPointToStart(&function.front());
  Value pointer = LLVM::AddressOfOp::create(builder, loc, global);
  return {pointer, type.getElementType(), SmallVector<int64_t, 4>(type.getShape())};
}

} // namespace blockdsl

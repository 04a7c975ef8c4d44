//===- DebugCalls.cpp - Asserts and prints as calls of the runtime ---------===//
//
// tt.assert -> blockdsl_assert_failed(context, message, x, y, z)
// tt.print  -> blockdsl_print(context, prefix, x, y, z, hex, type code, values, count), once for each operand
//
//===----------------------------------------------------------------------===//

#include "DebugCalls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {

/// What the runtime needs to read a value: its width in the low byte, and these.
enum TypeCode : int32_t { isFloat = 0x100, isSigned = 0x200, isPointer = 0x400, isBF16 = 0x800 };

func::FuncOp DebugCalls::declare(OpBuilder &builder, StringRef name, TypeRange types) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(module.getBody());
  auto callee = func::FuncOp::create(builder, module.getLoc(), name, builder.getFunctionType(types, {}));
  callee.setPrivate();
  return callee;
}

Value DebugCalls::text(ImplicitLocOpBuilder &b, StringRef value) {
  std::string name;
  for (unsigned n = 0; name.empty() || module.lookupSymbol(name); ++n)
    name = ("blockdsl.text." + Twine(n)).str();
  std::string terminated = value.str() + '\0';
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(b.getI8Type(), terminated.size());
    LLVM::GlobalOp::create(b, type, /*isConstant=*/true, LLVM::Linkage::Internal, name, b.getStringAttr(terminated));
  }
  return LLVM::AddressOfOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), name);
}

/// The place in the kernel's source, as the second line of a message.
static std::string placeOf(Location location) {
  if (auto place = location->findInstanceOf<FileLineColLoc>())
    return ("\n  " + place.getFilename().strref() + ":" + Twine(place.getLine()) + ":" + Twine(place.getColumn()))
        .str();
  return "";
}

void DebugCalls::lower(AssertOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value holds = op.getCondition();
  if (isa<VectorType>(holds.getType()))
    holds = vector::ReductionOp::create(b, vector::CombiningKind::AND, holds);
  Value yes = arith::ConstantIntOp::create(b, 1, 1);
  Value fails = arith::XOrIOp::create(b, holds, yes);
  auto branch = scf::IfOp::create(b, fails, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  Value message = text(b, op.getMessage().str() + placeOf(op.getLoc()));
  SmallVector<Value> operands{context, message, ids[0], ids[1], ids[2]};
  func::CallOp::create(b, declare(b, "blockdsl_assert_failed", ValueRange(operands).getTypes()), operands);
}

static int32_t typeCode(Type element, bool isSignedInteger) {
  int32_t width = element.getIntOrFloatBitWidth();
  if (isa<FloatType>(element))
    return width | isFloat | (element.isBF16() ? isBF16 : 0);
  return width | (isSignedInteger ? isSigned : 0);
}

/// The address of a copy of `value` on the stack, its lanes one after another. It is read by the call, and then free
/// for the next value of the type.
Value DebugCalls::inMemory(ImplicitLocOpBuilder &b, Value value) {
  Value &slot = slots[value.getType()];
  if (!slot) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.getBody().front());
    Value one = LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(1));
    slot = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), value.getType(), one,
                                  /*alignment=*/64);
  }
  LLVM::StoreOp::create(b, value, slot);
  return slot;
}

void DebugCalls::lower(PrintOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value prefix = text(b, op.getPrefix());
  Type i8 = b.getI8Type();
  auto number = [&](int64_t n, unsigned width) -> Value { return arith::ConstantIntOp::create(b, n, width); };
  auto call = [&](int32_t code, Value values, int64_t count) {
    SmallVector<Value> operands{context,          prefix, ids[0],           ids[1], ids[2], number(op.getHex(), 32),
                                number(code, 32), values, number(count, 64)};
    func::CallOp::create(b, declare(b, "blockdsl_print", ValueRange(operands).getTypes()), operands);
  };
  if (op.getArgs().empty())
    return call(0, LLVM::ZeroOp::create(b, context.getType()), 0);

  for (auto [value, isSignedInteger] : llvm::zip_equal(op.getArgs(), op.getIsSigned())) {
    auto vector = dyn_cast<VectorType>(value.getType());
    int64_t count = vector ? vector.getNumElements() : 1;
    auto withElement = [&](Type element) { return vector ? Type(vector.clone(element)) : element; };
    Type element = getElementTypeOrSelf(value.getType());
    if (isa<LLVM::LLVMPointerType>(element)) {
      call(64 | isPointer, inMemory(b, value), count);
      continue;
    }
    int32_t code = typeCode(element, isSignedInteger);
    Value stored = value;
    if (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() < 8) {
      // Bytes in memory; the code still says how many bits count.
      stored = arith::ExtUIOp::create(b, withElement(i8), value);
    } else if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8) {
      stored = arith::ExtFOp::create(b, withElement(b.getF32Type()), value, /*fastmath=*/nullptr);
      code = typeCode(b.getF32Type(), false);
    }
    call(code, inMemory(b, stored), count);
  }
}

} // namespace blockdsl

//===- DebugCalls.cpp - Lowering of asserts and prints to runtime calls ----===//
//
// tt.assert -> blockdsl_assert_failed(context, message, x, y, z)
// tt.print  -> blockdsl_print(context, prefix, x, y, z, hex, type code, values, count, widths, indices), once for each
//              operand, or for each vector of its elements
//
//===----------------------------------------------------------------------===//

#include "DebugCalls.h"

#include "blockdsl/Dialect/TT/IR/PrintedExtents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {

/// Flags of a type code, whose low byte is the width in bits.
enum TypeCode : int32_t { isFloat = 0x100, isSigned = 0x200, isBF16 = 0x800 };

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

/// Returns the source location as the second line of a message.
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

/// Copies `value`, with contiguous lanes, to the stack and returns its address. After the call the slot is reused for
/// values of the same type.
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

/// Converts a value to its representation in memory for a print, and returns it with its type code.
std::pair<Value, int32_t> DebugCalls::printed(ImplicitLocOpBuilder &b, Value value, bool isSignedInteger, bool hex) {
  auto vector = dyn_cast<VectorType>(value.getType());
  auto withElement = [&](Type element) { return vector ? Type(vector.clone(element)) : element; };
  Type element = getElementTypeOrSelf(value.getType());
  int32_t code = typeCode(element, isSignedInteger);
  // Whole bytes in memory; the type code has the number of bits.
  if (isa<IntegerType>(element) && element.getIntOrFloatBitWidth() < 8)
    return {arith::ExtUIOp::create(b, withElement(b.getI8Type()), value), code};
  if (!isa<FloatType>(element) || element.getIntOrFloatBitWidth() != 8)
    return {value, code};
  if (hex)
    return {arith::BitcastOp::create(b, withElement(b.getI8Type()), value), typeCode(b.getI8Type(), false)};
  return {arith::ExtFOp::create(b, withElement(b.getF32Type()), value, /*fastmath=*/nullptr),
          typeCode(b.getF32Type(), false)};
}

/// Returns the number of digits to which the index in each dimension is padded, as one character per dimension.
static std::string widthsOf(ArrayRef<int64_t> extents) {
  std::string widths;
  for (int64_t extent : extents)
    widths += static_cast<char>('0' + (extent > 1 ? std::to_string(extent - 1).size() : 0));
  return widths;
}

/// Stores the indices of the elements, one dimension after the other, and returns their address.
Value DebugCalls::indicesOf(ImplicitLocOpBuilder &b, ValueRange indices) {
  if (indices.empty())
    return LLVM::ZeroOp::create(b, context.getType());
  auto type = LLVM::LLVMArrayType::get(indices.front().getType(), indices.size());
  Value all = LLVM::UndefOp::create(b, type);
  for (auto [dimension, index] : llvm::enumerate(indices))
    all = LLVM::InsertValueOp::create(b, all, index, static_cast<int64_t>(dimension));
  return inMemory(b, all);
}

/// Broadcasts uniform operands, which may be scalars, if any operand is a vector.
static SmallVector<Value> spread(ImplicitLocOpBuilder &b, ValueRange operands) {
  SmallVector<Value> result(operands);
  auto found = llvm::find_if(result, [](Value each) { return isa<VectorType>(each.getType()); });
  if (found == result.end())
    return result;
  auto lanes = cast<VectorType>(found->getType());
  for (Value &each : result)
    if (!isa<VectorType>(each.getType()))
      each = vector::BroadcastOp::create(b, lanes.clone(each.getType()), each);
  return result;
}

void DebugCalls::lower(PrintOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value prefix = text(b, op.getPrefix());
  auto number = [&](int64_t n, unsigned width) -> Value { return arith::ConstantIntOp::create(b, n, width); };
  auto call = [&](int32_t code, Value values, int64_t count, Value widths, Value indices) {
    SmallVector<Value> operands{
        context,           prefix, ids[0], ids[1], ids[2], number(op.getHex(), 32), number(code, 32), values,
        number(count, 64), widths, indices};
    func::CallOp::create(b, declare(b, "blockdsl_print", ValueRange(operands).getTypes()), operands);
  };
  if (op.getArgs().empty()) {
    Value nothing = LLVM::ZeroOp::create(b, context.getType());
    return call(0, nothing, 0, nothing, nothing);
  }
  // For an element of a block the other operands are its indices.
  auto extents = op->getAttrOfType<DenseI64ArrayAttr>(kPrintedExtents);
  SmallVector<Value> operands = extents ? spread(b, op.getArgs()) : SmallVector<Value>(op.getArgs());
  ValueRange values = ValueRange(operands).take_front(extents ? 1 : operands.size());
  Value widths = text(b, extents ? widthsOf(extents.asArrayRef()) : "");
  Value indices = indicesOf(b, ValueRange(operands).drop_front(values.size()));
  for (auto [value, isSignedInteger] : llvm::zip(values, op.getIsSigned())) {
    auto vector = dyn_cast<VectorType>(value.getType());
    auto [stored, code] = printed(b, value, isSignedInteger, op.getHex());
    call(code, inMemory(b, stored), vector ? vector.getNumElements() : 1, widths, indices);
  }
}

} // namespace blockdsl

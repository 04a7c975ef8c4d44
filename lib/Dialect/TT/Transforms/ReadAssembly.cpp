//===- ReadAssembly.cpp - Inline assembly as scalar ops ---------*- C++ -*-===//
// Packs elements into registers as Triton does, and translates the instructions to scalar ops for each group of
// elements. The strongest fence of a text moves before the op, because no supported instruction accesses memory.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_READASSEMBLYPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

namespace {

/// The registers that `constraints` name.
struct Registers {
  SmallVector<unsigned> outputs, inputs;
  /// For each input, the output whose register it shares, if any.
  SmallVector<std::optional<unsigned>> tied;
  /// For each input, whether it is a number in the text and no register.
  SmallVector<bool> immediates;
};

/// Returns the width of the register that the constraint letters name, or 0. `n` and `i` besides a register are
/// ignored.
unsigned widthOf(StringRef letters) {
  unsigned width = 0;
  for (char letter : letters) {
    unsigned each = llvm::StringSwitch<unsigned>(StringRef(&letter, 1))
                        .Case("b", 1)
                        .Cases({"c", "h"}, 16)
                        .Cases({"r", "f"}, 32)
                        .Cases({"l", "d"}, 64)
                        .Default(0);
    if (each == 0 && letter != 'n' && letter != 'i')
      return 0;
    width = std::max(width, each);
  }
  return width;
}

bool isImmediate(StringRef letters) { return !letters.empty() && letters.find_first_not_of("ni") == StringRef::npos; }

FailureOr<Registers> parseConstraints(ElementwiseInlineAsmOp op) {
  Registers registers;
  for (StringRef constraint : llvm::split(op.getConstraints(), ',')) {
    StringRef letters = constraint.trim();
    if (letters.empty() || letters.starts_with("~"))
      continue;
    bool isOutput = letters.consume_front("=");
    letters.consume_front("&");
    unsigned number = 0;
    bool isTied = !isOutput && !letters.getAsInteger(10, number) && number < registers.outputs.size();
    bool isNumber = !isOutput && isImmediate(letters);
    unsigned width = isTied ? registers.outputs[number] : isNumber ? 64 : widthOf(letters);
    if (width == 0)
      return refuseAssembly(op) << "'" << constraint << "' is no register of 8 to 64 bits";
    (isOutput ? registers.outputs : registers.inputs).push_back(width);
    if (isOutput)
      continue;
    registers.tied.push_back(isTied ? std::optional(number) : std::nullopt);
    registers.immediates.push_back(isNumber);
  }
  return registers;
}

/// Returns the constant value of `value`, or null. Folds pure ops: since calls were inlined, no pass has folded the
/// broadcasts of a caller's constants.
Attribute constantOf(Value value, unsigned depth = 8) {
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    return constant;
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0 || op->getNumRegions() != 0 || !isPure(op))
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(constantOf(operand, depth - 1));
    if (!operands.back())
      return {};
  }
  SmallVector<OpFoldResult> results;
  if (failed(op->fold(operands, results)) || results.empty())
    return {};
  OpFoldResult result = results[cast<OpResult>(value).getResultNumber()];
  auto folded = dyn_cast<Value>(result);
  return folded ? constantOf(folded, depth - 1) : cast<Attribute>(result);
}

std::optional<APInt> integerOf(Value value) {
  Attribute constant = constantOf(value);
  if (auto elements = dyn_cast_or_null<SplatElementsAttr>(constant))
    constant = elements.getSplatValue<Attribute>();
  auto integer = dyn_cast_or_null<IntegerAttr>(constant);
  return integer ? std::optional(integer.getValue()) : std::nullopt;
}

unsigned bitWidthOf(Type element) { return isa<PtrType>(element) ? 64 : element.getIntOrFloatBitWidth(); }

/// Returns the lanes of each register that a group of `pack` elements fills.
LaneType packingOf(Type element, unsigned pack) {
  unsigned width = bitWidthOf(element);
  unsigned count = std::min(std::max(32 / width, 1u), pack);
  return {LaneType::Kind::Bits, width, count, {}};
}

class Reader {
public:
  explicit Reader(ElementwiseInlineAsmOp op) : op(op), pack(op.getPackedElement()) {}

  LogicalResult read();

private:
  LogicalResult checkRegisters();
  LogicalResult findImmediates();
  void createFence();
  /// Translates the text for one group, from the elements of all operands to those of all results.
  FailureOr<SmallVector<Value>> write(ImplicitLocOpBuilder &b, ValueRange elements);
  LogicalResult readScalars();
  LogicalResult readBlocks();

  static Value bitsOfElement(ImplicitLocOpBuilder &b, Value element) {
    Type type = element.getType();
    if (isa<PtrType>(type))
      return PtrToIntOp::create(b, b.getI64Type(), element);
    return isa<FloatType>(type) ? arith::BitcastOp::create(b, b.getIntegerType(bitWidthOf(type)), element).getResult()
                                : element;
  }

  static Value elementOfBits(ImplicitLocOpBuilder &b, Value bits, Type type) {
    if (isa<PtrType>(type))
      return IntToPtrOp::create(b, type, bits);
    return isa<FloatType>(type) ? arith::BitcastOp::create(b, type, bits).getResult() : bits;
  }

  ElementwiseInlineAsmOp op;
  unsigned pack;
  Assembly assembly;
  Registers registers;
  /// The values of immediate operands, by the number of the input.
  DenseMap<unsigned, APInt> immediates;
};

LogicalResult Reader::findImmediates() {
  unsigned input = 0;
  for (Value operand : op.getArgs()) {
    LaneType packing = packingOf(getElementTypeOrSelf(operand.getType()), pack);
    for (unsigned first = 0; first < pack; first += packing.count, ++input) {
      if (!registers.immediates[input])
        continue;
      std::optional<APInt> value = packing.count == 1 ? integerOf(operand) : std::nullopt;
      if (!value)
        return refuseAssembly(op) << "$" << registers.outputs.size() + input
                                  << " is an immediate, and expects an integer that is known when the kernel is "
                                     "compiled";
      immediates[input] = *value;
    }
  }
  return success();
}

/// Emits the strongest of the text's fences before the op.
void Reader::createFence() {
  MemoryOrder strongest = MemoryOrder::None;
  for (const AssemblyInstruction &instruction : assembly.instructions)
    strongest = std::max(strongest, findMemoryOrder(instruction).value_or(MemoryOrder::None));
  if (strongest == MemoryOrder::None)
    return;
  OpBuilder b(op);
  bool isSequential = strongest == MemoryOrder::SequentiallyConsistent;
  LLVM::FenceOp::create(b, op.getLoc(), isSequential ? LLVM::AtomicOrdering::seq_cst : LLVM::AtomicOrdering::acq_rel,
                        StringRef());
}

LogicalResult Reader::checkRegisters() {
  auto check = [&](TypeRange types, ArrayRef<unsigned> widths, StringRef what) -> LogicalResult {
    SmallVector<unsigned> needed;
    for (Type type : types) {
      LaneType packing = packingOf(getElementTypeOrSelf(type), pack);
      if (pack % packing.count != 0)
        return refuseAssembly(op) << pack << " elements of " << packing.width << " bits do not fill registers of "
                                  << packing.count;
      needed.append(pack / packing.count, packing.bits());
    }
    if (needed.size() != widths.size())
      return refuseAssembly(op) << "the constraints have " << widths.size() << ' ' << what << " registers, where "
                                << needed.size() << " are filled";
    for (auto [bits, width] : llvm::zip_equal(needed, widths))
      if (bits > width)
        return refuseAssembly(op) << "a register of " << width << " bits does not hold " << bits;
    return success();
  };
  if (failed(check(op.getResultTypes(), registers.outputs, "output")))
    return failure();
  return check(op.getOperandTypes(), registers.inputs, "input");
}

FailureOr<SmallVector<Value>> Reader::write(ImplicitLocOpBuilder &b, ValueRange elements) {
  AssemblyWriter writer(b, op, assembly);
  for (auto [number, width] : llvm::enumerate(registers.outputs))
    writer.define(number, makeBits(b, width, 0));
  unsigned input = 0;
  for (Type type : op.getOperandTypes()) {
    LaneType packing = packingOf(getElementTypeOrSelf(type), pack);
    for (unsigned first = 0; first < pack; first += packing.count, ++input) {
      SmallVector<Value> lanes;
      auto immediate = immediates.find(input);
      if (immediate != immediates.end()) {
        writer.defineImmediate(registers.outputs.size() + input, immediate->second);
        elements = elements.drop_front(packing.count);
        continue;
      }
      for (Value element : elements.take_front(packing.count))
        lanes.push_back(bitsOfElement(b, element));
      elements = elements.drop_front(packing.count);
      Value bits = bitsOf(b, lanes, packing, registers.inputs[input]);
      writer.define(registers.outputs.size() + input, bits);
      if (registers.tied[input])
        writer.define(*registers.tied[input], bits);
    }
  }
  if (failed(writer.write()))
    return failure();
  SmallVector<Value> results;
  unsigned output = 0;
  for (Type type : op.getResultTypes()) {
    Type element = getElementTypeOrSelf(type);
    LaneType packing = packingOf(element, pack);
    for (unsigned first = 0; first < pack; first += packing.count)
      for (Value lane : lanesOf(b, writer.get(output++), packing))
        results.push_back(elementOfBits(b, lane, element));
  }
  return results;
}

LogicalResult Reader::readScalars() {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  // A scalar stands for each element of a group.
  SmallVector<Value> elements;
  for (Value operand : op.getArgs())
    elements.append(pack, operand);
  FailureOr<SmallVector<Value>> results = write(b, elements);
  if (failed(results))
    return failure();
  for (auto [index, result] : llvm::enumerate(op.getResults()))
    result.replaceAllUsesWith((*results)[index * pack]);
  op.erase();
  return success();
}

LogicalResult Reader::readBlocks() {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  auto shaped = cast<RankedTensorType>(op.getResultTypes().front());
  if (op.getArgs().empty())
    return refuseAssembly(op) << "there is no operand to say what the elements of " << shaped << " are";
  // Any elements may form a group. If `pack` does not divide the last dimension, groups span rows.
  bool isFlat = shaped.getRank() == 0 || shaped.getShape().back() % pack != 0;
  SmallVector<int64_t> flat{shaped.getNumElements()};
  auto reshape = [&](Value block, ArrayRef<int64_t> shape) -> Value {
    auto type = cast<RankedTensorType>(block.getType());
    return isFlat ? ReshapeOp::create(b, type.clone(shape), block, /*allow_reorder=*/false, /*efficient_layout=*/false)
                  : block;
  };
  SmallVector<Value> operands;
  SmallVector<Type> types, scalars;
  for (Value operand : op.getArgs()) {
    operands.push_back(reshape(operand, flat));
    scalars.append(pack, getElementTypeOrSelf(operand.getType()));
  }
  for (Type type : op.getResultTypes())
    types.push_back(isFlat ? cast<RankedTensorType>(type).clone(flat) : type);
  auto map = MapElementwiseOp::create(b, types, operands, pack);
  {
    OpBuilder::InsertionGuard guard(b);
    Block *body = b.createBlock(&map.getScalarOp(), {}, scalars, SmallVector<Location>(scalars.size(), op.getLoc()));
    FailureOr<SmallVector<Value>> results = write(b, body->getArguments());
    if (failed(results))
      return failure();
    MapElementwiseReturnOp::create(b, *results);
  }
  for (auto [from, to] : llvm::zip_equal(op.getResults(), map.getResults()))
    from.replaceAllUsesWith(reshape(to, shaped.getShape()));
  op.erase();
  return success();
}

LogicalResult Reader::read() {
  FailureOr<Registers> parsed = parseConstraints(op);
  if (failed(parsed) || failed(parseAssembly(op, op.getAsmString(), assembly)))
    return failure();
  registers = *parsed;
  if (failed(checkRegisters()) || failed(findImmediates()))
    return failure();
  createFence();
  return isa<RankedTensorType>(op.getResultTypes().front()) ? readBlocks() : readScalars();
}

struct ReadAssembly : blockdsl::impl::ReadAssemblyPassBase<ReadAssembly> {
  void runOnOperation() override {
    SmallVector<ElementwiseInlineAsmOp> ops;
    getOperation()->walk([&](ElementwiseInlineAsmOp op) { ops.push_back(op); });
    for (ElementwiseInlineAsmOp op : ops)
      if (failed(Reader(op).read()))
        return signalPassFailure();
  }
};

} // namespace

//===- AssemblyPredicates.cpp - Comparisons of PTX --------------*- C++ -*-===//
// Predicates are registers of one bit. `set` converts comparisons to numbers, and `slct` selects by a comparison with
// zero.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace blockdsl;

static std::optional<arith::CmpFPredicate> parseFloatPredicate(StringRef comparison) {
  using P = arith::CmpFPredicate;
  // Without a `u` a comparison is false for NaN, including `ne`.
  return llvm::StringSwitch<std::optional<P>>(comparison)
      .Case("eq", P::OEQ)
      .Case("ne", P::ONE)
      .Case("lt", P::OLT)
      .Case("le", P::OLE)
      .Case("gt", P::OGT)
      .Case("ge", P::OGE)
      .Case("equ", P::UEQ)
      .Case("neu", P::UNE)
      .Case("ltu", P::ULT)
      .Case("leu", P::ULE)
      .Case("gtu", P::UGT)
      .Case("geu", P::UGE)
      .Case("num", P::ORD)
      .Case("nan", P::UNO)
      .Default(std::nullopt);
}

static std::optional<arith::CmpIPredicate> parseIntegerPredicate(StringRef comparison, LaneType type) {
  using P = arith::CmpIPredicate;
  if (comparison == "eq")
    return P::eq;
  if (comparison == "ne")
    return P::ne;
  if (type.kind == LaneType::Kind::Bits)
    return std::nullopt;
  if (type.isSigned())
    return llvm::StringSwitch<std::optional<P>>(comparison)
        .Case("lt", P::slt)
        .Case("le", P::sle)
        .Case("gt", P::sgt)
        .Case("ge", P::sge)
        .Default(std::nullopt);
  return llvm::StringSwitch<std::optional<P>>(comparison)
      .Cases({"lt", "lo"}, P::ult)
      .Cases({"le", "ls"}, P::ule)
      .Cases({"gt", "hi"}, P::ugt)
      .Cases({"ge", "hs"}, P::uge)
      .Default(std::nullopt);
}

Value blockdsl::compareLanes(ImplicitLocOpBuilder &b, StringRef comparison, LaneType type, Value x, Value y) {
  if (type.isFloat()) {
    std::optional<arith::CmpFPredicate> predicate = parseFloatPredicate(comparison);
    return predicate ? arith::CmpFOp::create(b, *predicate, x, y).getResult() : Value();
  }
  std::optional<arith::CmpIPredicate> predicate = parseIntegerPredicate(comparison, type);
  return predicate ? arith::CmpIOp::create(b, *predicate, x, y).getResult() : Value();
}

/// Combines the result of a comparison with a predicate; null for an unknown operation.
static Value combine(ImplicitLocOpBuilder &b, StringRef word, Value result, Value other) {
  if (word == "and")
    return arith::AndIOp::create(b, result, other);
  if (word == "or")
    return arith::OrIOp::create(b, result, other);
  return word == "xor" ? arith::XOrIOp::create(b, result, other).getResult() : Value();
}

SmallVector<Value> AssemblyWriter::compareSources(const AssemblyInstruction &instruction, LaneType type,
                                                  ArrayRef<StringRef> words, bool withNegation) {
  SmallVector<StringRef> modifiers;
  llvm::copy_if(words, std::back_inserter(modifiers), [](StringRef word) { return word != "ftz"; });
  bool isCombined = modifiers.size() == 2;
  auto refused = [&]() -> SmallVector<Value> { return (void)refuse(instruction), SmallVector<Value>(); };
  if ((modifiers.size() != 1 && !isCombined) || instruction.operands.size() != (isCombined ? 4u : 3u) ||
      type.bits() < 16)
    return refused();
  SmallVector<SmallVector<Value>> sources;
  for (const AssemblyOperand &operand : ArrayRef(instruction.operands).slice(1, 2)) {
    Value bits = read(operand.text, type);
    if (!bits)
      return {};
    sources.push_back(lanesOf(b, bits, type));
  }
  Value other;
  if (isCombined && !(other = readPredicate(instruction.operands.back().text)))
    return {};
  SmallVector<Value> results;
  for (unsigned i = 0; i < type.count; ++i) {
    results.push_back(compareLanes(b, modifiers.front(), type, sources[0][i], sources[1][i]));
    if (!results.back())
      return refused();
  }
  if (withNegation && results.size() == 1)
    results.push_back(arith::XOrIOp::create(b, results.front(), makeBits(b, 1, 1)));
  for (Value &result : results)
    if (isCombined && !(result = combine(b, modifiers.back(), result, other)))
      return refused();
  return results;
}

/// Emits `setp.lt.and.f32 p|q, a, b, !c`. The second predicate is the opposite comparison, or, for types of two lanes,
/// that of the second lane.
LogicalResult AssemblyWriter::writeComparison(const AssemblyInstruction &instruction, LaneType type,
                                              ArrayRef<StringRef> words) {
  auto [first, second] = instruction.operands.front().text.split('|');
  if (second.empty() && type.count == 2)
    return refuse(instruction);
  SmallVector<Value> results = compareSources(instruction, type, words, /*withNegation=*/true);
  if (results.empty())
    return failure();
  for (auto [name, result] : llvm::zip_equal(ArrayRef{first.trim(), second.trim()}, results))
    if (!name.empty() && name != "_" && failed(assign(name, result)))
      return failure();
  return success();
}

/// Emits `set.lt.and.u32.f32 d, a, b, !c`: all ones, or 1.0 for floats, if the comparison is true, and zero otherwise.
LogicalResult AssemblyWriter::writeComparedNumber(const AssemblyInstruction &instruction, LaneType to, LaneType from,
                                                  ArrayRef<StringRef> words) {
  // A pair of lanes fills the halves of an integer.
  if (from.count == 2 && from.width == 16 && !to.isFloat() && to.bits() == 32)
    to = LaneType{LaneType::Kind::Unsigned, 16, 2, {}};
  bool isNumber = to.isFloat() || to.isSigned() || to.kind == LaneType::Kind::Unsigned;
  if (!isNumber || to.count != from.count || (to.width != 16 && to.width != 32))
    return refuse(instruction);
  SmallVector<Value> results = compareSources(instruction, from, words, /*withNegation=*/false), lanes;
  if (results.empty())
    return failure();
  for (Value result : results)
    lanes.push_back(to.isFloat() ? arith::UIToFPOp::create(b, to.element, result).getResult()
                                 : resizeBits(b, result, to.width, /*isSigned=*/true));
  return assign(instruction.operands.front().text, bitsOf(b, lanes, to, to.bits()), to.isSigned());
}

/// Emits `slct.u32.f32 d, a, b, c`: a if c is at least zero, and b if it is negative or NaN.
LogicalResult AssemblyWriter::writeChoiceBySign(const AssemblyInstruction &instruction, LaneType type,
                                                LaneType signType, ArrayRef<StringRef> words) {
  bool isOfFloat = signType.isFloat() && signType.bits() == 32 && signType.count == 1;
  bool isFlushed = isOfFloat && words.size() == 1 && words.front() == "ftz";
  if (instruction.operands.size() != 4 || type.count != 1 || type.isSmall() || type.bits() < 16 ||
      (!isOfFloat && !(signType.isSigned() && signType.width == 32)) || words.size() != isFlushed)
    return refuse(instruction);
  Value x = read(instruction.operands[1].text, type), y = read(instruction.operands[2].text, type);
  Value sign = read(instruction.operands[3].text, signType);
  if (!x || !y || !sign)
    return failure();
  Value isFirst;
  if (isOfFloat) {
    // With `ftz`, a denormal counts as zero: its magnitude is below 2^-126.
    Value limit = arith::ConstantOp::create(b, b.getF32FloatAttr(isFlushed ? -0x1p-126f : 0.0f));
    isFirst = arith::CmpFOp::create(b, isFlushed ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OGE,
                                    lanesOf(b, sign, signType).front(), limit);
  } else {
    isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, sign, makeBits(b, 32, 0));
  }
  return assign(instruction.operands.front().text, arith::SelectOp::create(b, isFirst, x, y), type.isSigned());
}

Value AssemblyWriter::readPredicate(StringRef name) {
  bool isNegated = name.consume_front("!");
  Value bit = values.lookup(name.trim());
  if (!bit || !bit.getType().isInteger(1)) {
    refuseAssembly(op) << "'" << name << "' is no predicate";
    return {};
  }
  return isNegated ? arith::XOrIOp::create(b, bit, makeBits(b, 1, 1)).getResult() : bit;
}

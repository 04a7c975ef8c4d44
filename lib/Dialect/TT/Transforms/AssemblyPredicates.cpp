//===- AssemblyPredicates.cpp - comparisons of PTX --------------*- C++ -*-===//
// Predicates are registers of one bit.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace blockdsl;

static std::optional<arith::CmpFPredicate> ofFloats(StringRef comparison) {
  using P = arith::CmpFPredicate;
  // Those without a `u` are false of NaN, `ne` too.
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

static std::optional<arith::CmpIPredicate> ofIntegers(StringRef comparison, LaneType type) {
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
    std::optional<arith::CmpFPredicate> predicate = ofFloats(comparison);
    return predicate ? arith::CmpFOp::create(b, *predicate, x, y).getResult() : Value();
  }
  std::optional<arith::CmpIPredicate> predicate = ofIntegers(comparison, type);
  return predicate ? arith::CmpIOp::create(b, *predicate, x, y).getResult() : Value();
}

/// `setp.lt.and.f32 p|q, a, b, !c`: the second predicate is of the contrary, or, of pairs, of the second lanes.
LogicalResult AssemblyWriter::writeComparison(const AssemblyInstruction &instruction, LaneType type,
                                              ArrayRef<StringRef> words) {
  SmallVector<StringRef> said;
  llvm::copy_if(words, std::back_inserter(said), [](StringRef word) { return word != "ftz"; });
  bool isCombined = said.size() == 2;
  if ((said.size() != 1 && !isCombined) || instruction.operands.size() != (isCombined ? 4u : 3u) || type.bits() < 16)
    return refuse(instruction);
  auto [first, second] = instruction.operands.front().text.split('|');
  if (second.empty() && type.count == 2)
    return refuse(instruction);
  SmallVector<SmallVector<Value>> sources;
  for (const AssemblyOperand &operand : ArrayRef(instruction.operands).slice(1, 2)) {
    Value bits = read(operand.text, type);
    if (!bits)
      return failure();
    sources.push_back(lanesOf(b, bits, type));
  }
  Value other;
  if (isCombined && !(other = readPredicate(instruction.operands.back().text)))
    return failure();
  SmallVector<Value> results;
  for (unsigned i = 0; i < type.count; ++i) {
    results.push_back(compareLanes(b, said.front(), type, sources[0][i], sources[1][i]));
    if (!results.back())
      return refuse(instruction);
  }
  if (results.size() == 1)
    results.push_back(arith::XOrIOp::create(b, results.front(), makeBits(b, 1, 1)));
  for (Value &result : results) {
    if (!isCombined)
      continue;
    if (said.back() == "and")
      result = arith::AndIOp::create(b, result, other);
    else if (said.back() == "or")
      result = arith::OrIOp::create(b, result, other);
    else if (said.back() == "xor")
      result = arith::XOrIOp::create(b, result, other);
    else
      return refuse(instruction);
  }
  for (auto [name, result] : llvm::zip_equal(ArrayRef{first.trim(), second.trim()}, results))
    if (!name.empty() && name != "_" && failed(assign(name, result)))
      return failure();
  return success();
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

//===- AssemblyWriter.cpp - Translation of PTX to scalar ops ----*- C++ -*-===//
// Registers, numbers, moves, and the operands of other instructions. AssemblyInstructions.cpp has the table of
// elementwise instructions.
//===----------------------------------------------------------------------===//
#include "AssemblyWriter.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace mlir;
using namespace blockdsl;

Value blockdsl::makeBits(ImplicitLocOpBuilder &b, unsigned width, uint64_t value) {
  return arith::ConstantOp::create(b, b.getIntegerAttr(b.getIntegerType(width), APInt(64, value).trunc(width)));
}

Value blockdsl::resizeBits(ImplicitLocOpBuilder &b, Value bits, unsigned width, bool isSigned) {
  unsigned from = bits.getType().getIntOrFloatBitWidth();
  Type type = b.getIntegerType(width);
  if (from > width)
    return arith::TruncIOp::create(b, type, bits);
  if (from == width)
    return bits;
  return isSigned ? arith::ExtSIOp::create(b, type, bits).getResult() : arith::ExtUIOp::create(b, type, bits);
}

SmallVector<Value> blockdsl::lanesOf(ImplicitLocOpBuilder &b, Value bits, LaneType type) {
  SmallVector<Value> lanes;
  for (unsigned i = 0; i < type.count; ++i) {
    unsigned whole = bits.getType().getIntOrFloatBitWidth();
    Value shifted = i == 0 ? bits : arith::ShRUIOp::create(b, bits, makeBits(b, whole, i * type.width));
    Value lane = resizeBits(b, shifted, type.width);
    lanes.push_back(type.isFloat() ? arith::BitcastOp::create(b, type.element, lane).getResult() : lane);
  }
  return lanes;
}

Value blockdsl::bitsOf(ImplicitLocOpBuilder &b, ArrayRef<Value> lanes, LaneType type, unsigned whole) {
  Value all;
  for (auto [i, lane] : llvm::enumerate(lanes)) {
    Value bits = lane;
    if (type.isFloat())
      bits = arith::BitcastOp::create(b, b.getIntegerType(type.width), lane);
    bits = resizeBits(b, bits, whole);
    if (i != 0)
      bits = arith::ShLIOp::create(b, bits, makeBits(b, whole, i * type.width));
    all = all ? arith::OrIOp::create(b, all, bits).getResult() : bits;
  }
  return all;
}

/// Parses formats of at most 8 bits, which come in pairs or fours. A format of 6 bits occupies a byte.
static std::optional<LaneType> parseSmallType(MLIRContext *context, StringRef name) {
  using Kind = LaneType::Kind;
  unsigned count = name.consume_back("x4") ? 4 : name.consume_back("x2") ? 2 : 0;
  if (count == 0)
    return std::nullopt;
  if (name == "ue8m0" && count == 2)
    return LaneType{Kind::Scale, 8, count, {}};
  if (name == "e2m1")
    return LaneType{Kind::Minifloat, 4, count, Float4E2M1FNType::get(context)};
  if (name == "e4m3")
    return LaneType{Kind::Float, 8, count, Float8E4M3FNType::get(context)};
  if (name == "e5m2")
    return LaneType{Kind::Float, 8, count, Float8E5M2Type::get(context)};
  if (name == "e2m3")
    return LaneType{Kind::Minifloat, 8, count, Float6E2M3FNType::get(context)};
  if (name == "e3m2")
    return LaneType{Kind::Minifloat, 8, count, Float6E3M2FNType::get(context)};
  return std::nullopt;
}

std::optional<LaneType> blockdsl::parseLaneType(MLIRContext *context, StringRef name) {
  using Kind = LaneType::Kind;
  if (std::optional<LaneType> type = parseSmallType(context, name))
    return type;
  if (name == "tf32")
    return LaneType{Kind::TF32, 32, 1, {}};
  if (name == "pred")
    return LaneType{Kind::Bits, 1, 1, {}};
  StringRef lane = name;
  unsigned count = lane.consume_back("x2") ? 2 : 1;
  Builder b(context);
  FloatType element = llvm::StringSwitch<FloatType>(lane)
                          .Case("f16", b.getF16Type())
                          .Case("bf16", b.getBF16Type())
                          .Case("f32", b.getF32Type())
                          .Case("f64", b.getF64Type())
                          .Default({});
  if (element && count * element.getWidth() <= 64)
    return LaneType{Kind::Float, element.getWidth(), count, element};
  unsigned width = 0;
  if (lane.empty() || count != 1 || lane.drop_front().getAsInteger(10, width) ||
      !llvm::is_contained({8u, 16u, 32u, 64u}, width))
    return std::nullopt;
  switch (lane.front()) {
  case 'b':
    return LaneType{Kind::Bits, width, 1, {}};
  case 'u':
    return LaneType{Kind::Unsigned, width, 1, {}};
  case 's':
    return LaneType{Kind::Signed, width, 1, {}};
  }
  return std::nullopt;
}

void AssemblyWriter::define(unsigned number, Value bits) { values["$" + llvm::utostr(number)] = bits; }

void AssemblyWriter::defineImmediate(unsigned number, const APInt &value) {
  immediates["$" + llvm::utostr(number)] = value.sextOrTrunc(64).getZExtValue();
}

Value AssemblyWriter::get(unsigned number) const { return values.lookup("$" + llvm::utostr(number)); }

LogicalResult AssemblyWriter::refuse(const AssemblyInstruction &instruction) {
  return refuseAssembly(op, findReplacement(instruction.opcode))
         << "'" << instruction.text << "' is not among the instructions that are read";
}

LogicalResult AssemblyWriter::write() {
  // The value of a register is undefined before the first write.
  for (const auto &[name, width] : assembly.registers)
    values[name] = makeBits(b, width, 0);
  for (const AssemblyInstruction &instruction : assembly.instructions)
    if (failed(write(instruction)))
      return failure();
  return success();
}

LogicalResult AssemblyWriter::write(const AssemblyInstruction &instruction) {
  predicate = {};
  if (!instruction.predicate.empty()) {
    predicate = readPredicate(instruction.predicate);
    if (!predicate)
      return failure();
    if (instruction.isNegated)
      predicate = arith::XOrIOp::create(b, predicate, makeBits(b, 1, 1));
  }
  if (findMemoryOrder(instruction))
    return checkOrderOperands(instruction);
  SmallVector<StringRef> words;
  SmallVector<LaneType> types;
  for (StringRef suffix : instruction.suffixes) {
    if (std::optional<LaneType> type = parseLaneType(b.getContext(), suffix))
      types.push_back(*type);
    else
      words.push_back(suffix);
  }
  if (instruction.operands.size() < 2)
    return refuse(instruction);
  if (instruction.name == "mov" && types.size() == 1 && words.empty())
    return writeMove(instruction, types.front());
  if (instruction.name == "setp" && types.size() == 1)
    return writeComparison(instruction, types.front(), words);
  if (types.size() == 1)
    return writeLanes(instruction, types.front(), words);
  return types.size() == 2 ? writeOfTwoTypes(instruction, types[0], types[1], words) : refuse(instruction);
}

LogicalResult AssemblyWriter::writeOfTwoTypes(const AssemblyInstruction &instruction, LaneType first, LaneType second,
                                              ArrayRef<StringRef> words) {
  if (instruction.name == "cvt")
    return writeConversion(instruction, first, second, words);
  if (instruction.name == "dp4a" || instruction.name == "dp2a")
    return writeByteProducts(instruction, first, second, words);
  if (instruction.name == "set")
    return writeComparedNumber(instruction, first, second, words);
  if (instruction.name == "slct")
    return writeChoiceBySign(instruction, first, second, words);
  return refuse(instruction);
}

/// Verifies the operands of a barrier or a hint, which have no effect.
LogicalResult AssemblyWriter::checkOrderOperands(const AssemblyInstruction &instruction) {
  for (const AssemblyOperand &operand : instruction.operands) {
    StringRef name = operand.text;
    // `[address]` or `[address+offset]`
    if (name.consume_front("["))
      name = name.drop_back(name.ends_with("]")).split('+').first.trim();
    if (operand.isVector() || !read(name, LaneType{LaneType::Kind::Bits, 64, 1, {}}))
      return operand.isVector() ? refuse(instruction) : failure();
  }
  return success();
}

LogicalResult AssemblyWriter::writeMove(const AssemblyInstruction &instruction, LaneType type) {
  const AssemblyOperand &target = instruction.operands[0], &source = instruction.operands[1];
  if (instruction.operands.size() != 2 || (target.isVector() && source.isVector()))
    return refuse(instruction);
  size_t count = std::max(target.parts.size(), source.parts.size());
  LaneType parts{LaneType::Kind::Bits, type.bits() / std::max<unsigned>(count, 1), static_cast<unsigned>(count), {}};
  if (count != 0 && (!llvm::is_contained({8u, 16u, 32u}, parts.width) || parts.bits() != type.bits()))
    return refuse(instruction);
  Value bits;
  if (source.isVector()) {
    SmallVector<Value> lanes;
    for (StringRef part : source.parts) {
      lanes.push_back(read(part, LaneType{LaneType::Kind::Bits, parts.width, 1, {}}));
      if (!lanes.back())
        return failure();
    }
    bits = bitsOf(b, lanes, parts, parts.bits());
  } else {
    bits = read(source.text, type);
  }
  if (!bits)
    return failure();
  if (!target.isVector())
    return assign(target.text, bits);
  for (auto [name, lane] : llvm::zip_equal(target.parts, lanesOf(b, bits, parts)))
    if (failed(assign(name, lane)))
      return failure();
  return success();
}

LogicalResult AssemblyWriter::writeConversion(const AssemblyInstruction &instruction, LaneType to, LaneType from,
                                              ArrayRef<StringRef> words) {
  ArrayRef<AssemblyOperand> operands = ArrayRef(instruction.operands).drop_front();
  bool isRandom = llvm::is_contained(words, "rs");
  Value random;
  if (isRandom && operands.size() > 1) {
    random = read(operands.back().text, LaneType{LaneType::Kind::Bits, 32, 1, {}});
    if (!random)
      return failure();
    operands = operands.drop_back();
  }
  // Packing takes four registers in braces, or two registers. The first becomes the upper lane.
  SmallVector<StringRef> sources;
  for (const AssemblyOperand &operand : operands)
    sources.push_back(operand.text);
  bool isPacking = to.count != 1 && from.count == 1;
  bool isVector = operands.size() == 1 && operands.front().isVector();
  if (isVector)
    sources = operands.front().parts;
  if (isVector != (to.count == 4) || sources.size() != (isPacking ? to.count : 1) ||
      (!isPacking && to.count != from.count) || isRandom != bool(random))
    return refuse(instruction);
  SmallVector<Value> lanes, converted;
  for (StringRef source : llvm::reverse(sources)) {
    Value bits = read(source, from);
    if (!bits)
      return failure();
    lanes.append(lanesOf(b, bits, from));
  }
  for (auto [index, lane] : llvm::enumerate(lanes)) {
    Value fraction = random ? randomFraction(b, random, to, index) : Value();
    if (random && !fraction)
      return refuse(instruction);
    converted.push_back(convertLane(b, lane, to, from, words, fraction));
    if (!converted.back())
      return refuse(instruction);
  }
  return assign(instruction.operands.front().text, bitsOf(b, converted, to, to.bits()), to.isSigned());
}

LogicalResult AssemblyWriter::writeLanes(const AssemblyInstruction &instruction, LaneType type,
                                         ArrayRef<StringRef> words) {
  const LaneInstruction *known = findLaneInstruction(instruction.name);
  if (!known || instruction.operands.size() != known->sources.size() + 1 || type.isSmall() ||
      type.kind == LaneType::Kind::Scale || type.kind == LaneType::Kind::TF32)
    return refuse(instruction);
  SmallVector<StringRef> allowed;
  known->words.split(allowed, ' ');
  if (!llvm::all_of(words, [&](StringRef word) { return llvm::is_contained(allowed, word); }))
    return refuse(instruction);
  SmallVector<SmallVector<Value>> sources;
  for (auto [index, operand] : llvm::enumerate(ArrayRef(instruction.operands).drop_front())) {
    if (known->sources[index] == 'p') {
      sources.emplace_back(type.count, readPredicate(operand.text));
      if (!sources.back().front())
        return failure();
      continue;
    }
    // A number of bits is a 32-bit operand, whatever the type is.
    bool isAmount = known->sources[index] == 'n';
    if (isAmount && type.count != 1)
      return refuse(instruction);
    LaneType taken = isAmount ? LaneType{LaneType::Kind::Unsigned, 32, 1, {}} : type;
    if (known->sources[index] == 'z' && llvm::is_contained(words, "wide"))
      taken.width *= 2;
    if (taken.bits() > 64)
      return refuse(instruction);
    Value bits = read(operand.text, taken);
    if (!bits)
      return failure();
    sources.push_back(lanesOf(b, bits, taken));
  }
  SmallVector<Value> lanes;
  for (unsigned i = 0; i < type.count; ++i) {
    SmallVector<Value> each;
    for (ArrayRef<Value> source : sources)
      each.push_back(source[i]);
    lanes.push_back(findDirection(words).empty() ? known->emit(b, type, each, words)
                                                 : computeInDirection(b, instruction.name, type, each, words));
    if (!lanes.back())
      return refuse(instruction);
  }
  // A `wide` product has twice the width of the type.
  if (llvm::is_contained(words, "wide"))
    type.width *= 2;
  return assign(instruction.operands.front().text, bitsOf(b, lanes, type, type.bits()), type.isSigned());
}

Value AssemblyWriter::read(StringRef operand, LaneType type) {
  if (type.bits() == 1)
    return readPredicate(operand);
  Value bits = values.lookup(operand);
  if (bits && bits.getType().isInteger(1)) {
    refuseAssembly(op) << "'" << operand << "' is a predicate, and no number";
    return {};
  }
  if (bits)
    return resizeBits(b, bits, type.bits());
  if (auto immediate = immediates.find(operand); immediate != immediates.end())
    return makeBits(b, type.bits(), immediate->second);
  bits = operand.starts_with("%") ? readSpecial(operand) : readNumber(operand, type);
  if (bits)
    return resizeBits(b, bits, type.bits());
  refuseAssembly(op, findReplacement(operand)) << "'" << operand << "' is neither a register with a value nor a number";
  return {};
}

/// Parses 17, 0x11, 0b10001, 0f3F800000, 0d3FF0000000000000 or 1.0.
Value AssemblyWriter::readNumber(StringRef text, LaneType type) {
  uint64_t bits = 0;
  StringRef digits = text;
  if (digits.consume_front_insensitive("0f") && digits.size() == 8 && !digits.getAsInteger(16, bits))
    return makeBits(b, 32, bits);
  digits = text;
  if (digits.consume_front_insensitive("0d") && digits.size() == 16 && !digits.getAsInteger(16, bits))
    return makeBits(b, 64, bits);
  if (type.isFloat() && text.contains('.')) {
    APFloat value(type.element.getFloatSemantics());
    auto status = value.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return {};
    }
    return makeBits(b, type.width, value.bitcastToAPInt().getZExtValue());
  }
  digits = text;
  bool isNegative = digits.consume_front("-");
  digits.consume_back("U");
  if (digits.getAsInteger(0, bits))
    return {};
  return makeBits(b, type.bits(), isNegative ? -bits : bits);
}

/// Reads a special register that does not depend on the thread: a clock, the processor, or the position of the program,
/// which is that of a block of threads, in the grid.
Value AssemblyWriter::readSpecial(StringRef name) {
  auto callRuntime = [&](StringRef symbol, unsigned width) -> Value {
    return ExternElementwiseOp::create(b, b.getIntegerType(width), ValueRange{}, /*libname=*/"", /*libpath=*/"", symbol,
                                       /*pure=*/false);
  };
  if (name == "%smid")
    return callRuntime("blockdsl_processor", 32);
  if (name == "%nsmid")
    return callRuntime("blockdsl_processor_count", 32);
  if (llvm::is_contained({"%globaltimer", "%clock64"}, name))
    return callRuntime("blockdsl_nanoseconds", 64);
  if (llvm::is_contained({"%globaltimer_lo", "%clock"}, name))
    return resizeBits(b, callRuntime("blockdsl_nanoseconds", 64), 32);
  if (llvm::is_contained({"%globaltimer_hi", "%clock_hi"}, name))
    return resizeBits(b, arith::ShRUIOp::create(b, callRuntime("blockdsl_nanoseconds", 64), makeBits(b, 64, 32)), 32);
  auto [grid, axis] = name.split('.');
  if (axis.size() != 1 || !StringRef("xyz").contains(axis))
    return {};
  auto dimension = static_cast<ProgramDim>(axis.front() - 'x');
  if (grid == "%ctaid")
    return GetProgramIdOp::create(b, b.getI32Type(), dimension);
  return grid == "%nctaid" ? GetNumProgramsOp::create(b, b.getI32Type(), dimension).getResult() : Value();
}

LogicalResult AssemblyWriter::assign(StringRef name, Value bits, bool isSigned) {
  if (name == "_")
    return success();
  auto found = values.find(name);
  if (found == values.end())
    return refuseAssembly(op) << "'" << name << "' is no register that may be written";
  unsigned width = found->second.getType().getIntOrFloatBitWidth();
  if ((width == 1) != bits.getType().isInteger(1))
    return refuseAssembly(op) << "'" << name << "' is " << (width == 1 ? "a" : "no") << " predicate";
  bits = resizeBits(b, bits, width, isSigned);
  found->second = predicate ? arith::SelectOp::create(b, predicate, bits, found->second).getResult() : bits;
  return success();
}

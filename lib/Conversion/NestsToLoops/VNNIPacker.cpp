//===- VNNIPacker.cpp - Groups of narrow numbers as 32-bit words ----------===//

#include "VNNIPacker.h"

#include "ElementEmitter.h"
#include "LoopHints.h"
#include "Shuffles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace blockdsl {
namespace {

ArrayRef<int64_t> shapeOf(Value block) { return cast<RankedTensorType>(block.getType()).getShape(); }

/// The words of a block, counted along the common and the other dimension.
struct Words {
  int64_t common, other, group;
  int64_t missing;   ///< words of zeros that pad the common dimension
  bool alongCommon;  ///< vectors of words run along the common dimension
  bool isTransposed; ///< the buffer is contiguous along the other dimension than the vectors
  int64_t perVector;
};

Words planWords(EmissionContext &context, Value block, int64_t common, const WordFormat &format, WordRange range) {
  ArrayRef<int64_t> shape = shapeOf(block);
  int64_t rank = shape.size(), group = format.group;
  int64_t other = common == rank - 1 ? rank - 2 : rank - 1;
  WordOrder order = format.order;
  Words words{shape[common] / group, range.from ? range.count : shape[other], group};
  words.missing = std::max<int64_t>(format.least - words.common, 0);
  words.alongCommon = format.alongCommon || shape[other] < group;
  words.isTransposed = words.alongCommon ? order == WordOrder::CommonFirst : order == WordOrder::CommonLast;
  int64_t registerWords = context.options.vectorBits / 32;
  if (words.isTransposed)
    words.perVector = std::min({words.common, words.other, registerWords});
  else if (words.alongCommon)
    words.perVector = std::min(words.common, registerWords);
  else // a register of elements from each of the interleaved rows
    words.perVector = std::min(words.other, registerWords * group);
  return words;
}

class VNNIPacker {
public:
  VNNIPacker(EmissionContext &context, Location loc, Value block, int64_t common, const WordFormat &format,
             WordRange range)
      : context(context), loc(loc), block(block), common(common),
        words(planWords(context, block, common, format, range)), flip(format.flip), panel(format.panel), end(range.end),
        from(range.from), lanes(context.builder, loc, words.perVector * (words.alongCommon ? words.group : 1)),
        elementEmitter(context, lanes) {}

  PackedWords emit(PackedIteration iteration);

private:
  template <typename BodyFn> void loop(int64_t size, int64_t step, BodyFn body, Value end = {});
  Value index(Value base, int64_t by);
  SmallVector<Value> read(Value commonAt, Value otherAt);
  Value readElements(Value commonAt, Value otherAt, int64_t member);
  void write(Value commonAt, Value otherAt, Value vector);
  void emitVectors(Value commonAt, Value otherAt);
  void emitSquare(Value commonAt, Value otherAt);
  void emitMatrix();
  void emitZeros();
  Value enterPart(const PackedIteration &iteration);

  EmissionContext &context;
  Location loc;
  Value block;
  int64_t common;
  Words words;
  uint32_t flip;
  int64_t panel; ///< 0 for none
  Value end;     ///< null for all
  Value from;    ///< null for the start
  LaneEmitter lanes;
  ElementEmitter elementEmitter;
  Value batch; ///< null in two dimensions
  Value first; ///< the first word of an iteration within its part; null for 0
  PackedWords packed;
};

template <typename BodyFn> void VNNIPacker::loop(int64_t size, int64_t step, BodyFn body, Value end) {
  OpBuilder &b = lanes.here();
  Value low = arith::ConstantIndexOp::create(b, loc, 0);
  if (size == step)
    return body(low);
  Value high = end ? end : arith::ConstantIndexOp::create(b, loc, size);
  Value by = arith::ConstantIndexOp::create(b, loc, step);
  auto emitted = scf::ForOp::create(b, loc, low, high, by);
  if (size > 2 * step)
    keepRolled(emitted);
  elementEmitter.enter(emitted.getBody());
  body(emitted.getInductionVar());
  elementEmitter.leave();
}

Value VNNIPacker::index(Value base, int64_t by) {
  if (by == 0)
    return base;
  OpBuilder &b = lanes.here();
  return arith::AddIOp::create(b, loc, base, arith::ConstantIndexOp::create(b, loc, by));
}

/// Returns a vector of elements as integers: whole words from `commonAt` and `otherAt` on, or one member of each word.
Value VNNIPacker::readElements(Value commonAt, Value otherAt, int64_t member) {
  OpBuilder &b = lanes.here();
  if (from)
    otherAt = arith::AddIOp::create(b, loc, otherAt, from);
  Value scale = arith::ConstantIndexOp::create(b, loc, words.group);
  Value first = arith::MulIOp::create(b, loc, commonAt, scale);
  LaneValue along{LaneValue::Kind::Strided, words.alongCommon ? first : otherAt, 1, lanes.depth()};
  LaneValue across = lanes.uniform(words.alongCommon ? otherAt : index(first, member), lanes.depth());
  SmallVector<LaneValue> where;
  if (batch)
    where.push_back(lanes.uniform(batch, lanes.depth()));
  int64_t rank = shapeOf(block).size();
  for (int64_t dim = rank - 2; dim < rank; ++dim)
    where.push_back((dim == common) == words.alongCommon ? along : across);
  Value elements = lanes.vector(elementEmitter.get(block, where));
  auto type = cast<VectorType>(elements.getType());
  Type integer = lanes.here().getIntegerType(type.getElementTypeBitWidth());
  if (type.getElementType() == integer)
    return elements;
  return arith::BitcastOp::create(lanes.here(), loc, type.clone(integer), elements);
}

/// Returns the words from `commonAt` and `otherAt` on in one or more vectors.
Vectors VNNIPacker::read(Value commonAt, Value otherAt) {
  Vectors elements;
  for (int64_t member = 0; member < (words.alongCommon ? 1 : words.group); ++member)
    elements.push_back(readElements(commonAt, otherAt, member));
  OpBuilder &b = lanes.here();
  if (elements.size() > 1)
    elements = interleaveElements(b, loc, std::move(elements));
  auto type = VectorType::get({words.perVector / static_cast<int64_t>(elements.size())}, b.getI32Type());
  Vectors result;
  for (Value vector : elements) {
    result.push_back(vector::BitCastOp::create(b, loc, type, vector));
    if (flip == 0)
      continue;
    Value mask = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, APInt(32, flip)));
    result.back() = arith::XOrIOp::create(b, loc, result.back(), mask);
  }
  return result;
}

void VNNIPacker::write(Value commonAt, Value otherAt, Value vector) {
  if (first)
    commonAt = arith::AddIOp::create(lanes.here(), loc, commonAt, first);
  SmallVector<LaneValue> where;
  if (batch)
    where.push_back(lanes.uniform(batch, lanes.depth()));
  auto add = [&](Value at) { where.push_back(lanes.uniform(at, lanes.depth())); };
  if (panel != 0) {
    OpBuilder &b = lanes.here();
    Value size = arith::ConstantIndexOp::create(b, loc, panel);
    add(arith::DivUIOp::create(b, loc, otherAt, size));
    add(commonAt);
    add(arith::RemUIOp::create(b, loc, otherAt, size));
  } else {
    add(packed.commonFirst ? commonAt : otherAt);
    add(packed.commonFirst ? otherAt : commonAt);
  }
  Value pointer = elementEmitter.addressOf(packed.buffer, where).value;
  LLVM::StoreOp::create(lanes.here(), loc, vector, pointer, /*alignment=*/4);
}

void VNNIPacker::emitVectors(Value commonAt, Value otherAt) {
  Vectors vectors = read(commonAt, otherAt);
  int64_t size = words.perVector / vectors.size();
  for (auto [number, vector] : llvm::enumerate(vectors))
    write(words.alongCommon ? index(commonAt, number * size) : commonAt,
          words.alongCommon ? otherAt : index(otherAt, number * size), vector);
}

void VNNIPacker::emitSquare(Value commonAt, Value otherAt) {
  auto at = [&](bool alongCommon, int64_t by) {
    return std::pair(alongCommon ? index(commonAt, by) : commonAt, alongCommon ? otherAt : index(otherAt, by));
  };
  Vectors rows;
  for (int64_t row = 0; row < words.perVector; ++row) {
    auto [commonRow, otherRow] = at(!words.alongCommon, row);
    rows.push_back(concatenate(lanes.here(), loc, read(commonRow, otherRow)));
  }
  for (auto [row, vector] : llvm::enumerate(transpose(lanes.here(), loc, std::move(rows)))) {
    auto [commonRow, otherRow] = at(words.alongCommon, row);
    write(commonRow, otherRow, vector);
  }
}

void VNNIPacker::emitMatrix() {
  int64_t size = words.perVector;
  int64_t commonStep = words.isTransposed || words.alongCommon ? size : 1;
  int64_t otherStep = words.isTransposed || !words.alongCommon ? size : 1;
  // The contiguous dimension is the inner loop, so that memory is read in order.
  auto inner = [&](Value commonAt, Value otherAt) {
    if (words.isTransposed)
      emitSquare(commonAt, otherAt);
    else
      emitVectors(commonAt, otherAt);
  };
  if (words.alongCommon)
    loop(words.other, otherStep, [&](Value o) { loop(words.common, commonStep, [&](Value c) { inner(c, o); }); }, end);
  else
    loop(words.common, commonStep, [&](Value c) { loop(words.other, otherStep, [&](Value o) { inner(c, o); }, end); });
  emitZeros();
}

/// Emits the zeros that pad the common dimension. The first iteration of a part pads it; the next ones replace the
/// zeros.
void VNNIPacker::emitZeros() {
  if (words.missing == 0)
    return;
  scf::IfOp isFirst;
  if (first) {
    OpBuilder &b = lanes.here();
    Value start = arith::ConstantIndexOp::create(b, loc, 0);
    Value condition = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, first, start);
    isFirst = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    elementEmitter.enter(isFirst.thenBlock());
  }
  int64_t size = packed.commonFirst ? std::min<int64_t>(words.other, context.options.vectorBits / 32) : words.missing;
  OpBuilder &b = lanes.here();
  Value zeros = arith::ConstantOp::create(b, loc, b.getZeroAttr(VectorType::get({size}, b.getI32Type())));
  int64_t commonStep = packed.commonFirst ? 1 : size, otherStep = packed.commonFirst ? size : 1;
  loop(
      words.other, otherStep,
      [&](Value o) { loop(words.missing, commonStep, [&](Value c) { write(index(c, words.common), o, zeros); }); },
      end);
  if (isFirst)
    elementEmitter.leave();
}

/// Returns the part of an iteration, and sets its first word there.
Value VNNIPacker::enterPart(const PackedIteration &iteration) {
  OpBuilder &b = context.builder;
  Value part = iteration.index;
  if (words.missing != 0) {
    Value each = arith::ConstantIndexOp::create(b, loc, (words.common + words.missing) / words.common);
    part = arith::DivUIOp::create(b, loc, iteration.index, each);
    first = arith::MulIOp::create(b, loc, arith::RemUIOp::create(b, loc, iteration.index, each),
                                  arith::ConstantIndexOp::create(b, loc, words.common));
  }
  return iteration.firstPart ? Value(arith::AddIOp::create(b, loc, part, iteration.firstPart)) : part;
}

PackedWords VNNIPacker::emit(PackedIteration iteration) {
  packed.commonFirst = words.alongCommon == words.isTransposed;
  SmallVector<int64_t> shape(shapeOf(block).drop_back(2));
  bool isBatch = !shape.empty();
  if (panel != 0)
    shape.append({words.other / panel, words.common + words.missing, panel});
  else if (packed.commonFirst)
    shape.append({words.common + words.missing, words.other});
  else
    shape.append({words.other, words.common + words.missing});
  if (iteration.index)
    shape.insert(shape.begin(), iteration.parts);
  Buffer whole = context.allocate(loc, shape, context.builder.getI32Type());
  packed.buffer = iteration.index ? context.getPart(loc, whole, enterPart(iteration)) : whole;
  elementEmitter.emitVersioned([&](ElementEmitter::Version) {
    if (isBatch)
      loop(packed.buffer.shape[0], 1, [&](Value at) {
        batch = at;
        emitMatrix();
      });
    else
      emitMatrix();
    return Values();
  });
  lanes.at(0);
  packed.buffer = whole;
  return packed;
}

} // namespace

PackedWords packWords(EmissionContext &context, Location loc, Value block, int64_t common, const WordFormat &format,
                      WordRange range, PackedIteration iteration) {
  if (format.isBuffer) {
    PackedWords words{*context.getBuffer(block), false};
    words.buffer.element = context.builder.getI32Type();
    words.buffer.shape.back() /= format.group;
    words.buffer.padding /= format.group;
    return words;
  }
  return VNNIPacker(context, loc, block, common, format, range).emit(iteration);
}

} // namespace blockdsl

//===- MarkNarrowOffsets.cpp - Pointers with offsets computed in 32 bits --===//
// The launcher warns about tensors that are too large for the offsets of marked pointers. A pointer is marked if some
// access adds no offset computed in 64 bits to it, and a sum or product in its 32-bit offsets may overflow.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_MARKNARROWOFFSETSPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

namespace {
constexpr StringLiteral kNarrow = "blockdsl.narrow";

/// Sums and products of bounds, which may be constants of 64 bits.
using Wide = __int128;

/// The bounds of an integer, and the op in its computation that may have wrapped, if any.
struct Range {
  int64_t low, high;
  Operation *wraps = nullptr;
};

unsigned widthOf(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}

/// Returns the range of the value's type. Types of more than 32 bits count as 33 bits, as bounds are computed in 64
/// bits.
Range anyOf(Value value) {
  unsigned width = std::min(widthOf(value), 33u);
  return {-(int64_t(1) << (width - 1)), (int64_t(1) << (width - 1)) - 1};
}

/// Returns true for ops that copy, repeat or reorder elements.
bool isMovement(Operation *op) { return isa_and_nonnull<SplatOp, ExpandDimsOp, BroadcastOp, ReshapeOp, TransOp>(op); }

std::optional<int64_t> constantOf(Value value) {
  APInt scalar;
  if (matchPattern(value, m_ConstantInt(&scalar)))
    return scalar.getSExtValue();
  return std::nullopt;
}

/// Returns the possible values of an iteration argument, a result of a loop or an if, or a select: the initial and
/// yielded ones, or both operands. Empty for other values.
SmallVector<Value> sourcesOf(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_or_null<LoopLikeOpInterface>(argument.getOwner()->getParentOp());
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    OpOperand *yielded = loop ? loop.getTiedLoopYieldedValue(argument) : nullptr;
    return init && yielded ? SmallVector<Value>{init->get(), yielded->get()} : SmallVector<Value>();
  }
  unsigned index = cast<OpResult>(value).getResultNumber();
  if (auto branch = value.getDefiningOp<scf::IfOp>())
    return {branch.thenYield().getOperand(index), branch.elseYield().getOperand(index)};
  if (auto loop = value.getDefiningOp<scf::ForOp>())
    return {loop.getRegionIterArg(index)};
  if (auto select = value.getDefiningOp<arith::SelectOp>())
    return {select.getTrueValue(), select.getFalseValue()};
  return {};
}

class Ranges {
public:
  Range of(Value value) {
    // A value in a cycle through a loop has the range of its type.
    auto [found, isNew] = known.try_emplace(value, anyOf(value));
    if (!isNew)
      return found->second;
    Range range = compute(value);
    known[value] = range;
    return range;
  }

private:
  DenseMap<Value, Range> known;

  Range compute(Value value) {
    if (auto constant = constantOf(value))
      return {*constant, *constant};
    SmallVector<Value> sources = sourcesOf(value);
    if (!sources.empty()) {
      Range range = of(sources.front());
      for (Value source : sources) {
        Range other = of(source);
        range = {std::min(range.low, other.low), std::max(range.high, other.high),
                 range.wraps ? range.wraps : other.wraps};
      }
      return range;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
      return loop && value == loop.getInductionVar()
                 ? Range{of(loop.getLowerBound()).low, of(loop.getUpperBound()).high}
                 : anyOf(value);
    }
    Operation *op = value.getDefiningOp();
    if (isMovement(op) || isa<arith::ExtSIOp>(op))
      return of(op->getOperand(0));
    if (auto range = dyn_cast<MakeRangeOp>(op))
      return {int64_t(range.getStart()), int64_t(range.getEnd()) - 1};
    if (isa<GetProgramIdOp, GetNumProgramsOp>(op))
      return {0, INT32_MAX};
    if (op->getNumOperands() == 2 && isa<arith::ArithDialect>(op->getDialect()) &&
        isa<IntegerType>(getElementTypeOrSelf(op->getOperand(0).getType())))
      return ofPair(op, of(op->getOperand(0)), of(op->getOperand(1)));
    return anyOf(value);
  }

  static Range ofPair(Operation *op, Range lhs, Range rhs) {
    Range any = anyOf(op->getResult(0));
    any.wraps = lhs.wraps ? lhs.wraps : rhs.wraps;
    auto within = [&](Wide low, Wide high) {
      if (low >= any.low && high <= any.high)
        return Range{int64_t(low), int64_t(high), any.wraps};
      return Range{any.low, any.high, any.wraps ? any.wraps : op};
    };
    if (isa<arith::AddIOp>(op))
      return within(Wide(lhs.low) + rhs.low, Wide(lhs.high) + rhs.high);
    if (isa<arith::SubIOp>(op))
      return within(Wide(lhs.low) - rhs.high, Wide(lhs.high) - rhs.low);
    if (isa<arith::MulIOp>(op)) {
      auto times = [](int64_t a, int64_t b) { return Wide(a) * b; };
      auto [low, high] = std::minmax(
          {times(lhs.low, rhs.low), times(lhs.low, rhs.high), times(lhs.high, rhs.low), times(lhs.high, rhs.high)});
      return within(low, high);
    }
    if (isa<arith::ShLIOp>(op) && lhs.low >= 0 && rhs.low == rhs.high && rhs.low >= 0 && rhs.low < 31)
      return within(Wide(lhs.low) << rhs.low, Wide(lhs.high) << rhs.low);
    bool isPositive = lhs.low >= 0 && rhs.low >= 0;
    if (isa<arith::RemSIOp, arith::RemUIOp>(op) && isPositive && rhs.high > 0)
      return {0, std::min(lhs.high, rhs.high - 1), any.wraps};
    if (isa<arith::DivSIOp, arith::DivUIOp, arith::ShRSIOp, arith::ShRUIOp>(op) && isPositive)
      return {0, lhs.high, any.wraps};
    if (isa<arith::AndIOp>(op) && (lhs.low >= 0 || rhs.low >= 0))
      return {0, lhs.low < 0 ? rhs.high : rhs.low < 0 ? lhs.high : std::min(lhs.high, rhs.high), any.wraps};
    if (isa<arith::MinSIOp>(op))
      return {std::min(lhs.low, rhs.low), std::min(lhs.high, rhs.high), any.wraps};
    if (isa<arith::MaxSIOp>(op))
      return {std::max(lhs.low, rhs.low), std::max(lhs.high, rhs.high), any.wraps};
    return any;
  }
};

/// The base of an address, and the computation of its offsets.
struct Address {
  /// The function argument that the address is derived from, or null if it is unknown.
  Value base;
  /// Whether an offset was computed in 64 bits.
  bool isWide = false;
  /// An op in the offsets that may have wrapped, or null.
  Operation *wraps = nullptr;
};

class Addresses {
public:
  Address of(Value pointer) {
    if (auto found = known.find(pointer); found != known.end())
      return found->second;
    known[pointer] = {};
    Address address = compute(pointer);
    known[pointer] = address;
    return address;
  }

private:
  DenseMap<Value, Address> known;
  Ranges ranges;

  Address compute(Value pointer) {
    SmallVector<Value> sources = sourcesOf(pointer);
    if (!sources.empty()) {
      Address address = of(sources.front());
      // In a cycle through a loop, the address counts as its initial value.
      known[pointer] = address;
      for (Value source : ArrayRef<Value>(sources).drop_front()) {
        Address other = of(source);
        address = {address.base == other.base ? address.base : Value(), address.isWide || other.isWide,
                   address.wraps ? address.wraps : other.wraps};
      }
      return address;
    }
    if (auto argument = dyn_cast<BlockArgument>(pointer))
      return {isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) ? pointer : Value()};
    Operation *op = pointer.getDefiningOp();
    if (isMovement(op) || isa<BitcastOp>(op))
      return of(op->getOperand(0));
    auto step = dyn_cast<AddPtrOp>(op);
    if (!step)
      return {};
    Address address = of(step.getPtr());
    add(address, step.getOffset());
    return address;
  }

  void add(Address &address, Value offset) {
    Operation *op = offset.getDefiningOp();
    bool isWidened = isa_and_nonnull<arith::ExtSIOp, arith::ExtUIOp>(op);
    if (widthOf(offset) <= 32 || constantOf(offset)) {
      Operation *wraps = ranges.of(offset).wraps;
      address.wraps = address.wraps ? address.wraps : wraps;
    } else if (isMovement(op) || isWidened) {
      add(address, op->getOperand(0));
    } else if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
      add(address, op->getOperand(0));
      add(address, op->getOperand(1));
    } else {
      address.isWide = true;
    }
  }
};

/// Returns "kernel.py:12", or "" for an unknown location.
std::string formatLocation(Location location) {
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return formatLocation(call.getCallee());
  if (auto name = dyn_cast<NameLoc>(location))
    return formatLocation(name.getChildLoc());
  if (auto fused = dyn_cast<FusedLoc>(location); fused && !fused.getLocations().empty())
    return formatLocation(fused.getLocations().front());
  auto range = dyn_cast<FileLineColRange>(location);
  return range ? range.getFilename().str() + ":" + std::to_string(range.getStartLine()) : "";
}

struct MarkNarrowOffsets : blockdsl::impl::MarkNarrowOffsetsPassBase<MarkNarrowOffsets> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      Addresses addresses;
      function.walk([&](Operation *op) {
        if (!isa<LoadOp, StoreOp>(op) && !isAtomic(op))
          return;
        Address address = addresses.of(op->getOperand(0));
        if (!address.base || address.isWide || !address.wraps)
          return;
        unsigned index = cast<BlockArgument>(address.base).getArgNumber();
        if (!function.getArgAttr(index, kNarrow))
          function.setArgAttr(index, kNarrow, StringAttr::get(&getContext(), formatLocation(address.wraps->getLoc())));
      });
    }
  }
};
} // namespace

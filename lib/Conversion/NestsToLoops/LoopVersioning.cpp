//===- LoopVersioning.cpp - Loop versioning on no-wrap conditions -------===//
//
// Addresses are only contiguous if the integers and remainders that they are computed from do not wrap. The likely case
// is tested once before a version of its own; another version is correct in any case.
//
//===----------------------------------------------------------------------===//

#include "ElementEmitter.h"

#include "blockdsl/Analysis/KnownBits.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace blockdsl {

//===-- Strides -------------------------------------------------------------===//

/// Emits a step of the computation of a range's end.
static Value emitRangeScalar(EmissionContext &context, OpBuilder &b, Location loc, const RangeScalar &scalar, Value lhs,
                             Value rhs) {
  using Kind = RangeScalar::Kind;
  auto compare = [&](arith::CmpIPredicate predicate) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  };
  switch (scalar.kind) {
  case Kind::Source: {
    Value source = context.getScalar(scalar.source);
    if (source.getType().isInteger(64))
      return source;
    if (isa<IndexType>(source.getType()))
      return arith::IndexCastOp::create(b, loc, b.getI64Type(), source);
    return scalar.constant ? Value(arith::ExtSIOp::create(b, loc, b.getI64Type(), source))
                           : Value(arith::ExtUIOp::create(b, loc, b.getI64Type(), source));
  }
  case Kind::Constant:
    return arith::ConstantIntOp::create(b, loc, scalar.constant, 64);
  case Kind::Add:
    return arith::AddIOp::create(b, loc, lhs, rhs);
  case Kind::Sub:
    return arith::SubIOp::create(b, loc, lhs, rhs);
  case Kind::Mul:
    return arith::MulIOp::create(b, loc, lhs, rhs);
  case Kind::Min:
    return arith::MinSIOp::create(b, loc, lhs, rhs);
  case Kind::Max:
    return arith::MaxSIOp::create(b, loc, lhs, rhs);
  case Kind::Div:
    return arith::DivSIOp::create(b, loc, lhs, rhs);
  case Kind::AtLeast:
    return compare(arith::CmpIPredicate::sge);
  case Kind::AtMost:
    return compare(arith::CmpIPredicate::sle);
  case Kind::Above:
    return compare(arith::CmpIPredicate::sgt);
  }
  llvm_unreachable("every kind of scalar is emitted");
}

/// Returns true if `scalar` never wraps. If that is only known at run time and `mayTest` is set, its conditions are
/// emitted before the loops.
bool ElementEmitter::provesNoWrap(linalg::LinalgOp op, Value scalar, BlockRanges::Signs signs, bool mayTest) {
  RangeScalars needs;
  if (!ranges.neverWraps(op, scalar, signs, mayTest ? &needs : nullptr))
    return false;
  llvm::SetVector<const RangeScalar *> all(needs.begin(), needs.end());
  for (unsigned next = 0; next != all.size(); ++next)
    for (const RangeScalar *operand : {all[next]->lhs, all[next]->rhs})
      if (operand)
        all.insert(operand);
  RangeScalars order = all.takeVector();
  llvm::sort(order, [](const RangeScalar *a, const RangeScalar *b) { return a->number < b->number; });
  llvm::DenseMap<const RangeScalar *, Value> emitted;
  for (const RangeScalar *each : order)
    emitted[each] = emitRangeScalar(context, lanes.at(0), lanes.getLoc(), *each, emitted.lookup(each->lhs),
                                    emitted.lookup(each->rhs));
  for (const RangeScalar *need : needs)
    conditions.push_back(emitted[need]);
  return true;
}

bool ElementEmitter::hasStrides(linalg::LinalgOp op, Value scalar, bool isSigned) {
  auto signs = isSigned ? BlockRanges::Signs::Signed : BlockRanges::Signs::Unsigned;
  return provesNoWrap(op, scalar, signs, optimistic);
}

/// Returns the elements of a strided value as a vector.
static LaneValue withoutStride(LaneEmitter &lanes, const LaneValue &value) {
  LaneValue elements = lanes.wrap(lanes.vector(value), value.level);
  elements.run = value.exchange == 0 ? std::abs(value.stride) : -1;
  return elements;
}

/// Converts a strided operand of an extension, a division or an address to a vector if it may wrap: it would have no
/// stride then. For strides of nearby addresses a test before the loops rules out wrapping instead.
void ElementEmitter::checkStrides(linalg::LinalgOp op, Operation *def, MutableArrayRef<LaneValue> operands) {
  using Signs = BlockRanges::Signs;
  bool divides = isa<arith::RemSIOp, arith::DivSIOp>(def), isOffset = isa<AddPtrOp>(def);
  bool casts = isa<arith::ExtSIOp, arith::ExtUIOp, arith::IndexCastOp, arith::IndexCastUIOp>(def);
  if (!divides && !isOffset && !casts)
    return;
  Value scalar = def->getOperand(isOffset ? 1 : 0);
  LaneValue &value = operands[isOffset ? 1 : 0];
  bool narrows = isa<IndexType>(scalar.getType()) || (isOffset && scalar.getType().isInteger(64));
  // Nothing to check if a vector of addresses results in any case.
  if (!value.isStrided() || narrows || (isOffset && operands[0].isVector()) ||
      (divides && !lanes.staysInOneMultiple(value, operands[1])))
    return;
  Signs signs = divides                                          ? Signs::NonNegative
                : isa<arith::ExtUIOp, arith::IndexCastUIOp>(def) ? Signs::Unsigned
                                                                 : Signs::Signed;
  int64_t span;
  if (!llvm::MulOverflow(value.stride, lanes.getLanes() - 1, span)) {
    bool stays =
        neverWraps(value.value, std::min<int64_t>(span, 0), std::max<int64_t>(span, 0), signs != Signs::Unsigned);
    if (stays && (!divides || knownRange(value.value).smin().isNonNegative()))
      return;
  }
  bool isWorthATest = optimistic && (std::abs(value.stride) == 1 || isLoadedStrided(value.stride, 1));
  if (!provesNoWrap(op, scalar, signs, isWorthATest))
    value = withoutStride(lanes, value);
}

//===-- Remainders ----------------------------------------------------------===//

/// Returns `x % n` for consecutive `x` as consecutive numbers, and adds the condition, known before the loops, that no
/// multiple of `n` lies between them.
std::optional<LaneValue> ElementEmitter::remainderWithoutWrap(linalg::LinalgOp op, Operation *def,
                                                              ArrayRef<LaneValue> operands, Position loops) {
  if (!remaindersStay || !isa<arith::RemSIOp, arith::RemUIOp>(def) || !operands[1].isUniform() ||
      operands[1].level != 0)
    return std::nullopt;
  std::optional<unsigned> along = context.pointers.getConsecutiveLoop(op, def->getOperand(0));
  if (!along || loops[*along].isVector())
    return std::nullopt;
  SmallVector<LaneValue> origin(loops);
  origin[*along] = lanes.constantIndex(0);
  LaneValue first = getInBody(op, def->getOperand(0), origin);
  bool isSigned = isa<arith::RemSIOp>(def);
  auto signs = isSigned ? BlockRanges::Signs::NonNegative : BlockRanges::Signs::Unsigned;
  if (!first.isUniform() || first.level != 0 || !provesNoWrap(op, def->getOperand(0), signs, /*mayTest=*/true))
    return std::nullopt;
  Location loc = lanes.getLoc();
  OpBuilder &b = lanes.at(0);
  Type type = first.value.getType();
  IRMapping mapping;
  mapping.map(def->getOperand(0), first.value);
  mapping.map(def->getOperand(1), operands[1].value);
  Value start = b.clone(*def, mapping)->getResult(0);
  // `n - start` cannot wrap because the remainder `start` is less than `n`; `start + steps` could.
  Value steps = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, op.getStaticLoopRanges()[*along] - 1));
  Value left = arith::SubIOp::create(b, loc, operands[1].value, start);
  auto less = isSigned ? arith::CmpIPredicate::slt : arith::CmpIPredicate::ult;
  conditions.push_back(arith::CmpIOp::create(b, loc, less, steps, left));
  hasRemainders = true;
  LaneValue index = loops[*along];
  OpBuilder &inner = lanes.at(index.level);
  Value offset = index.value;
  if (offset.getType() != type)
    offset = arith::IndexCastOp::create(inner, loc, type, offset);
  Value moved = arith::AddIOp::create(inner, loc, start, offset);
  // Must not be hoisted above the test of its version.
  unsigned level = std::max(index.level, std::min(lanes.depth(), 1u));
  return LaneValue{index.kind, moved, index.stride, level, index.exchange};
}

namespace {
/// One version of a nest, in a temporary branch.
struct WrittenVersion {
  scf::IfOp holder;
  Value condition;
  Values results;
};
} // namespace

/// Replaces the temporary branches of versions by a chain of branches on their conditions, and returns its results.
static Values chainVersions(LaneEmitter &lanes, OpBuilder &builder, MutableArrayRef<WrittenVersion> versions) {
  Location loc = lanes.getLoc();
  auto moveTo = [&](Block *from, Block *to, Block::iterator where) {
    from->getTerminator()->erase();
    to->getOperations().splice(where, from->getOperations());
  };
  Values results = versions.back().results;
  scf::IfOp chain;
  for (WrittenVersion &version : llvm::reverse(versions)) {
    Block *written = version.holder.thenBlock();
    if (!version.condition) {
      if (versions.size() == 1)
        moveTo(written, version.holder->getBlock(), version.holder->getIterator());
      continue;
    }
    WrittenVersion &other = *(&version + 1);
    auto branch = scf::IfOp::create(lanes.at(0), loc, ValueRange(version.results).getTypes(), version.condition,
                                    /*addThenBlock=*/true, /*addElseBlock=*/true);
    moveTo(written, branch.thenBlock(), branch.thenBlock()->end());
    if (chain)
      chain->moveBefore(branch.elseBlock(), branch.elseBlock()->end());
    else
      moveTo(other.holder.thenBlock(), branch.elseBlock(), branch.elseBlock()->end());
    OpBuilder &b = builder;
    b.setInsertionPointToEnd(branch.thenBlock());
    scf::YieldOp::create(b, loc, version.results);
    b.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(b, loc, results);
    results = Values(branch.getResults());
    chain = branch;
  }
  if (chain)
    lanes.forget(chain);
  for (WrittenVersion &version : versions) {
    if (!chain)
      lanes.forget(version.holder);
    version.holder->erase();
  }
  return results;
}

Values ElementEmitter::emitVersioned(function_ref<Values(Version)> body) {
  if (!context.hasVersions)
    return body(Version::NoWrap);
  SmallVector<WrittenVersion, 3> versions;
  Location loc = lanes.getLoc();
  auto write = [&](Version version) {
    OpBuilder &b = lanes.here();
    Value placeholder = arith::ConstantIntOp::create(b, loc, 1, 1);
    auto holder = scf::IfOp::create(b, loc, placeholder, /*withElseRegion=*/false);
    conditions.clear();
    hasRemainders = false;
    context.hasVersions = version == Version::NoWrap;
    // A remainder is consecutive only if the integers that it is computed from, and those computed from it, do not
    // wrap.
    remaindersStay = context.versions.remaindersWrap && version == Version::NoWrap;
    optimistic = remaindersStay || (context.versions.integersWrap && version != Version::Generic);
    enter(holder.thenBlock());
    Values results = body(version);
    leave();
    context.hasVersions = true;
    optimistic = remaindersStay = false;
    Value all;
    for (Value condition : conditions)
      all = all ? Value(arith::AndIOp::create(lanes.at(0), loc, all, condition)) : condition;
    versions.push_back({holder, all, results});
    return all != nullptr;
  };
  bool isTested = write(Version::NoWrap);
  if (isTested && hasRemainders)
    isTested = write(Version::ModuloWraps);
  if (isTested)
    write(Version::Generic);
  return chainVersions(lanes, context.builder, versions);
}

void ElementEmitter::runIsolated(function_ref<void()> body) {
  std::vector<std::map<Key, LaneValue>> fresh(scopes.size());
  scopes.swap(fresh);
  body();
  scopes.swap(fresh);
}

bool ElementEmitter::runSpeculatively(function_ref<void()> body) {
  size_t known = conditions.size();
  bool before = std::exchange(optimistic, true), stayed = std::exchange(remaindersStay, true), had = hasRemainders;
  isSpeculative = needsNoReads = true;
  runIsolated(body);
  isSpeculative = false;
  optimistic = before;
  remaindersStay = stayed;
  hasRemainders = had;
  conditions.truncate(known);
  return needsNoReads;
}

} // namespace blockdsl

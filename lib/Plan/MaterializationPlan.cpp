//===- MaterializationPlan.cpp - Tensor values that are kept in memory ---===//

#include "blockdsl/Plan/MaterializationPlan.h"

#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

/// From here on a value with several consumers is computed once.
constexpr int64_t kDear = 16;
/// From so many ops on that is true of indices too, unless they are what addresses of neighbors are made of.
constexpr int64_t kLong = 128;
/// From here on a value used in a loop is computed before it.
constexpr int64_t kWorthHoisting = 4;

/// Ops that only say where elements come from: buffering their operand is never worse.
static bool onlyMoves(Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return !linalgOp || isa<BlockArgument>(linalgOp.getBlock()->getTerminator()->getOperand(0));
}

/// The work of one scalar op. Integer arithmetic on indices is free: addresses have to be computed anyway.
static int64_t costOf(Operation *op, bool onData) {
  if (isa<LoadOp, tensor::ExtractOp>(op))
    return 4;
  if (isTranscendental(op))
    return 16;
  if (isa<arith::DivFOp, arith::RemFOp, PreciseDivFOp, PreciseSqrtOp>(op))
    return 4;
  if (isa<arith::DivSIOp, arith::RemSIOp, arith::DivUIOp, arith::RemUIOp>(op))
    return onData ? 4 : 0;
  if (op->getNumRegions() != 0)
    return 16;
  return op->getNumResults() == 1 && (onData || isa<FloatType>(op->getResult(0).getType())) ? 1 : 0;
}

int64_t MaterializationPlan::getCost(Value block) {
  if (auto found = costs.find(block); found != costs.end())
    return found->second;
  Operation *op = block.getDefiningOp();
  int64_t cost = 0;
  if (op && isFusible(op)) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      for (Operation &inner : linalgOp.getBlock()->without_terminator())
        cost += costOf(&inner, moves.contains(block));
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        cost += getCost(operand);
  } else {
    cost = 1; // a read of a buffer
  }
  return costs[block] = std::min<int64_t>(cost, 1 << 20);
}

int64_t MaterializationPlan::getLength(Value block) {
  if (auto found = lengths.find(block); found != lengths.end())
    return found->second;
  int64_t length = 0;
  Operation *op = block.getDefiningOp();
  if (op && isFusible(op)) {
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
      length = llvm::range_size(linalgOp.getBlock()->without_terminator());
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        length += getLength(operand);
  }
  return lengths[block] = std::min<int64_t>(length, 1 << 20);
}

//===-- Accesses ------------------------------------------------------------===//

void MaterializationPlan::collectAccesses(Operation *op, SmallVectorImpl<MemoryAccess> &reads,
                                          SmallVectorImpl<MemoryAccess> &writesOut) const {
  op->walk([&](Operation *inner) {
    auto addressOf = [&](Value pointer) -> MemoryAccess {
      Value address = pointer;
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(inner->getParentOp()))
        if (auto argument = dyn_cast<BlockArgument>(pointer))
          address = getBodyOperand(linalgOp, argument);
      return {pointers.getBase(address), address, false};
    };
    if (auto load = dyn_cast<LoadOp>(inner)) {
      reads.push_back(addressOf(load.getPtr()));
      reads.back().isVolatile = load.getIsVolatile();
      if (load.getIsVolatile())
        writesOut.push_back(reads.back());
    } else if (auto store = dyn_cast<StoreOp>(inner)) {
      writesOut.push_back(addressOf(store.getPtr()));
    } else if (auto print = dyn_cast<PrintOp>(inner)) {
      // Prints stay in order with each other, and are no access of anybody's memory.
      Value printed = print.getArgs().empty() ? Value() : print.getArgs().front();
      writesOut.push_back({printed, printed, /*isBuffer=*/false, /*isVolatile=*/true});
    } else if (isa<TTDialect>(inner->getDialect()) && !isMemoryEffectFree(inner) &&
               !isa<AssertOp, ReduceOp, ScanOp>(inner)) {
      writesOut.push_back({});
    }
  });
}

void MaterializationPlan::collectReads(Value block, SmallVectorImpl<MemoryAccess> &reads, bool inPlace) const {
  // Whether a value is read at the very element the consumer is at: only then two accesses can meet.
  SmallVector<std::pair<Value, bool>> worklist = {{block, inPlace}};
  llvm::DenseSet<Value> seen[2];
  while (!worklist.empty()) {
    auto [value, same] = worklist.pop_back_val();
    if (!seen[same].insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || !isFusible(op) || (buffered.contains(value) && value != block)) {
      reads.push_back({value, same ? value : Value(), true});
      continue;
    }
    SmallVector<MemoryAccess> mine, none;
    collectAccesses(op, mine, none);
    for (MemoryAccess access : mine)
      reads.push_back({access.object, same ? access.address : Value(), access.isBuffer, access.isVolatile});
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      if (linalgOp && linalgOp.isDpsInit(&operand))
        continue;
      worklist.push_back({operand.get(), same && linalgOp && linalgOp.getMatchingIndexingMap(&operand).isIdentity()});
    }
    // What a body gathers from, at any element.
    op->walk([&](tensor::ExtractOp extract) { worklist.push_back({extract.getTensor(), false}); });
  }
}

bool MaterializationPlan::mayConflict(const MemoryAccess &lhs, const MemoryAccess &rhs) const {
  if (lhs.isBuffer || rhs.isBuffer)
    return lhs.isBuffer && rhs.isBuffer && lhs.object == rhs.object;
  if (!lhs.object || !rhs.object || !argumentsDisjoint || (lhs.isVolatile && rhs.isVolatile))
    return true;
  return lhs.object == rhs.object;
}

bool MaterializationPlan::isNeverWritten(Value block) const {
  SmallVector<MemoryAccess> reads;
  collectReads(block, reads);
  return llvm::none_of(allWrites, [](const Write &write) { return isAtomic(write.op); }) &&
         llvm::all_of(reads, [&](const MemoryAccess &read) {
           return !read.isBuffer && !read.isVolatile &&
                  llvm::none_of(allWrites, [&](const Write &write) { return mayConflict(read, write.access); });
         });
}

bool MaterializationPlan::meetElementwise(const MemoryAccess &lhs, const MemoryAccess &rhs) const {
  if (lhs.isVolatile && rhs.isVolatile)
    return false;
  return lhs.address && lhs.address == rhs.address && (lhs.isBuffer || !mayRepeat(lhs.address));
}

//===-- Consumers and decisions ---------------------------------------------===//

MaterializationPlan::MaterializationPlan(Operation *function, PointerAnalysis &pointers, bool argumentsDisjoint)
    : pointers(pointers), argumentsDisjoint(argumentsDisjoint) {
  SmallVector<Operation *> ops;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    order[op] = ops.size();
    ops.push_back(op);
    // Inside a linalg body or a combine region nothing is a consumer of its own.
    return isa<linalg::LinalgOp, ReduceOp, ScanOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  for (Operation *op : ops) {
    if (op->getNumRegions() != 0 && !isa<linalg::LinalgOp>(op))
      continue;
    SmallVector<MemoryAccess> reads, written;
    collectAccesses(op, reads, written);
    for (const MemoryAccess &access : written) {
      allWrites.push_back({order[op], op, access});
      writes[getObject(access)].push_back(allWrites.back());
    }
  }
  for (Operation *op : ops)
    limitMoves(op);
  // Users come after definitions, so going backwards they are decided first.
  for (Operation *op : llvm::reverse(ops))
    if (isFusible(op))
      computeConsumers(op);
}

void MaterializationPlan::computeConsumers(Operation *op) {
  for (Value result : op->getResults()) {
    llvm::SetVector<Operation *> &mine = consumers[result];
    bool captured = false;
    for (Operation *user : result.getUsers()) {
      if (auto body = dyn_cast<linalg::LinalgOp>(user->getParentOp())) {
        user = body; // read by index from inside a body
        captured = true;
      }
      if (!isFusible(user)) {
        mine.insert(user);
        continue;
      }
      for (Value onward : user->getResults()) {
        if (buffered.contains(onward)) {
          mine.insert(user);
        } else {
          // The map may grow and move; do not hold a reference across the look-up.
          llvm::SetVector<Operation *> theirs = consumers.lookup(onward);
          consumers[result].insert(theirs.begin(), theirs.end());
        }
      }
    }
    if (std::optional<MaterializationReason> reason = findReason(result, captured && !isIndex(result)))
      materialize(result, *reason);
  }
}

/// Each op that moves elements (a transpose, a reshape) makes its consumer look at other places of its operand, and a
/// chain of them, as in a sorting network, at exponentially many. Every other one goes through memory.
void MaterializationPlan::limitMoves(Operation *op) {
  if (!isFusible(op)) {
    for (Value result : op->getResults())
      moves[result] = 0;
    return;
  }
  std::optional<unsigned> count;
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto source = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!source || (linalgOp && linalgOp.isDpsInit(&operand)))
      continue;
    auto found = moves.find(operand.get());
    if (found == moves.end())
      continue; // made of indices and scalars only: cheap at any place
    bool isMove = linalgOp ? !linalgOp.getMatchingIndexingMap(&operand).isIdentity() : true;
    auto result = cast<RankedTensorType>(op->getResult(0).getType());
    bool counts = isMove && source.getNumElements() >= result.getNumElements() / 2 && source.getNumElements() > 1;
    count = std::max(count.value_or(0), found->second + (counts ? 1 : 0));
  }
  bool loads = false;
  if (linalgOp)
    for (Operation &inner : *linalgOp.getBlock())
      loads |= isa<LoadOp, tensor::ExtractOp>(inner);
  if (!count && !loads)
    return;
  for (Value result : op->getResults()) {
    moves[result] = count.value_or(0);
    if (moves[result] >= 3 && !onlyMoves(op) && !result.hasOneUse()) {
      materialize(result, MaterializationReason::Moves);
      costs[result] = 1;
      moves[result] = 0;
    }
  }
}

/// Whether `consumer` runs more often than `op`.
static bool isInDeeperLoop(Operation *op, Operation *consumer) {
  for (Operation *parent = consumer->getParentOp(); parent && parent != op->getParentOp();
       parent = parent->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(parent))
      return true;
  return false;
}

/// Whether the elements of `object` that `consumer` evaluates are read where it is itself, not transposed or turned.
bool MaterializationPlan::staysInPlace(Value object, Operation *consumer) const {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(consumer);
  for (OpOperand &operand : consumer->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    SmallVector<MemoryAccess> reads;
    collectReads(operand.get(), reads, linalgOp && linalgOp.getMatchingIndexingMap(&operand).isIdentity());
    for (const MemoryAccess &read : reads)
      if (!read.isBuffer && read.object == object && !read.address)
        return false;
  }
  return true;
}

/// Whether one of the writes `by`, after `position` and up to `consumer`, may change what is read.
bool MaterializationPlan::isOvertaken(const MemoryAccess &read, ArrayRef<Write> by, unsigned position,
                                      Operation *consumer) const {
  const Write *write = llvm::upper_bound(by, position, [](unsigned at, const Write &one) { return at < one.position; });
  for (; write != by.end() && write->position <= order.at(consumer); ++write) {
    // An update in place reads each element before the same element is written.
    bool inPlace = write->op == consumer && meetElementwise(read, write->access) && staysInPlace(read.object, consumer);
    if (mayConflict(read, write->access) && !inPlace)
      return true;
  }
  return false;
}

bool MaterializationPlan::isOvertaken(Operation *load, Operation *consumer) const {
  SmallVector<MemoryAccess> reads, none;
  collectAccesses(load, reads, none);
  auto by = [&](Value object) -> ArrayRef<Write> {
    auto found = writes.find(object);
    return found == writes.end() ? ArrayRef<Write>() : ArrayRef<Write>(found->second);
  };
  return llvm::any_of(reads, [&](const MemoryAccess &read) {
    Value object = getObject(read);
    if (!object || read.isVolatile)
      return isOvertaken(read, allWrites, order.at(load), consumer);
    return isOvertaken(read, by(object), order.at(load), consumer) ||
           isOvertaken(read, by({}), order.at(load), consumer);
  });
}

/// Whether a block is a long computation on indices that keeps no stride. Each nest would begin it anew.
bool MaterializationPlan::isLongHash(Value block) {
  return isa<IntegerType>(getElementTypeOrSelf(block.getType())) && getLength(block) >= kLong &&
         llvm::is_contained(pointers.getStrides(block), std::nullopt);
}

/// Whether a block holds an index, or one scalar, and at most a cast of it: that costs nothing at any place.
bool MaterializationPlan::isIndex(Value block) { return !moves.contains(block) && getLength(block) <= 2; }

std::optional<MaterializationReason> MaterializationPlan::findReason(Value block, bool isIndexed) {
  using Reason = MaterializationReason;
  if (isIndexed)
    return Reason::Indexed;
  Operation *op = block.getDefiningOp();
  const llvm::SetVector<Operation *> &mine = consumers[block];
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  bool reads = linalgOp && !linalgOp.getBlock()->getOps<LoadOp>().empty();
  // Branches run for one element at a time, which a nest does for itself, and scans and products do not.
  bool branches =
      linalgOp && llvm::any_of(*linalgOp.getBlock(), [](Operation &inner) { return inner.getNumRegions() != 0; });
  if (branches && llvm::any_of(mine, [](Operation *user) {
        auto other = dyn_cast<linalg::LinalgOp>(user);
        return isa<ScanOp>(user) || (other && other.getNumReductionLoops() != 0);
      }))
    return Reason::Branches;
  // It is made once, where it stands, whether or not anything looks at it.
  if (hasVolatileLoad(op))
    return Reason::Volatile;
  if (mine.empty() || matchPattern(op, m_Constant()))
    return std::nullopt;
  if (reads)
    for (Operation *consumer : mine)
      if (isOvertaken(op, consumer))
        return Reason::Overwritten;
  if (onlyMoves(op))
    return std::nullopt;
  int64_t cost = getCost(block);
  if (mine.size() > 1 && (cost >= kDear || isLongHash(block)))
    return Reason::Shared;
  // Atomic accesses go element by element; what they are made of is better computed in vectors before.
  if (cost >= kWorthHoisting && llvm::any_of(mine, isAtomic))
    return Reason::Atomic;
  if (cost >= kWorthHoisting && llvm::any_of(mine, [&](Operation *user) { return isInDeeperLoop(op, user); }))
    return Reason::Loop;
  return std::nullopt;
}

} // namespace blockdsl

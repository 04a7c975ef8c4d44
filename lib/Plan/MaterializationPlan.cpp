//===- MaterializationPlan.cpp - Tensor values that are kept in memory ---===//

#include "blockdsl/Plan/MaterializationPlan.h"

#include "blockdsl/Analysis/MemoryTypes.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

/// The cost from which on a block with several consumers is computed once.
constexpr int64_t kExpensive = 16;
/// The number of ops from which on this is true for indices too, unless they have strides.
constexpr int64_t kLong = 128;
/// The cost from which on a block that is used in a loop is computed before it.
constexpr int64_t kWorthHoisting = 4;

/// Returns true for an atomic update that is in order only with accesses to the same memory.
static bool isRelaxedUpdate(Operation *op) {
  auto update = dyn_cast<AtomicRMWOp>(op);
  return update && update.getSem() == MemSemantic::Relaxed;
}

MaterializationPlan::MaterializationPlan(Operation *function, PointerAnalysis &pointers, bool argumentsDisjoint)
    : MemoryAccesses(pointers, argumentsDisjoint), costs(function) {
  SmallVector<Operation *> ops;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    order[op] = ops.size();
    ops.push_back(op);
    // Ops inside a linalg body or a combine region are not consumers themselves.
    return isa<linalg::LinalgOp, ReduceOp, ScanOp>(op) ? WalkResult::skip() : WalkResult::advance();
  });
  for (Operation *op : ops) {
    if (op->getNumRegions() != 0 && !isa<linalg::LinalgOp>(op))
      continue;
    SmallVector<MemoryAccess> reads, written;
    collectAccesses(op, reads, written);
    for (MemoryAccess access : written) {
      if (isRelaxedUpdate(op))
        access = {pointers.getBase(op->getOperand(0)), /*address=*/Value()};
      allWrites.push_back({order[op], op, access});
      writes[getObject(access)].push_back(allWrites.back());
    }
  }
  for (Value block : costs.getMovedTooOften())
    materialize(block, MaterializationReason::Moves);
  // In reverse order, so that the users of an op are decided before it.
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
        user = body; // read at computed indices
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
          // A copy: inserting into the map may invalidate references.
          llvm::SetVector<Operation *> theirs = consumers.lookup(onward);
          consumers[result].insert(theirs.begin(), theirs.end());
        }
      }
    }
    if (std::optional<MaterializationReason> reason = findReason(result, captured && !isIndex(result)))
      materialize(result, *reason);
  }
}

/// Returns true if `consumer` is in a loop that `op` is not in.
static bool isInDeeperLoop(Operation *op, Operation *consumer) {
  for (Operation *parent = consumer->getParentOp(); parent && parent != op->getParentOp();
       parent = parent->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(parent))
      return true;
  return false;
}

/// Returns true if `consumer` reads memory of `object` only at its own index, and not transposed or reshaped.
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

/// Returns true if one of the writes `by`, after `position` and up to `consumer`, may clobber the memory of `read`.
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

/// Returns true for a long computation on integers without a stride, such as a hash: each nest would recompute it.
bool MaterializationPlan::isLongHash(Value block) {
  return isa<IntegerType>(getElementTypeOrSelf(block.getType())) && costs.getLength(block) >= kLong &&
         llvm::is_contained(pointers.getStrides(block), std::nullopt);
}

/// Returns true for pointers and integers with a constant stride along the last dimension.
bool MaterializationPlan::isStridedAddress(Value block) {
  return isa<PtrType, IntegerType>(getElementTypeOrSelf(block.getType())) &&
         pointers.getStrides(block).back().has_value();
}

/// Returns true for a load whose addresses are equal or contiguous along the last dimension: reading a buffer of its
/// elements would cost the same.
bool MaterializationPlan::isContiguousLoad(Value block) {
  auto linalgOp = block.getDefiningOp<linalg::LinalgOp>();
  auto load = linalgOp ? dyn_cast<LoadOp>(linalgOp.getBlock()->front()) : LoadOp();
  if (!load || linalgOp.getBlock()->getTerminator()->getOperand(0) != load.getResult())
    return false;
  auto pointer = dyn_cast<BlockArgument>(load.getPtr());
  if (!pointer)
    return false;
  std::optional<int64_t> stride = pointers.getStrides(getBodyOperand(linalgOp, pointer)).back();
  return stride == 0 || stride == getByteSize(getElementTypeOrSelf(block.getType()));
}

/// Returns true if a block holds an index or a scalar, or a cast of it, which is cheap to compute at any index.
bool MaterializationPlan::isIndex(Value block) { return !costs.isData(block) && costs.getLength(block) <= 2; }

std::optional<MaterializationReason> MaterializationPlan::findReason(Value block, bool isIndexed) {
  using Reason = MaterializationReason;
  if (isIndexed)
    return Reason::Indexed;
  Operation *op = block.getDefiningOp();
  const llvm::SetVector<Operation *> &mine = consumers[block];
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  bool reads = linalgOp && !linalgOp.getBlock()->getOps<LoadOp>().empty();
  // Branches run element by element. A nest with branches becomes scalar; scans and matmuls do not.
  if (hasBranches(op) && llvm::any_of(mine, [](Operation *user) {
        auto other = dyn_cast<linalg::LinalgOp>(user);
        return isa<ScanOp>(user) || (other && other.getNumReductionLoops() != 0);
      }))
    return Reason::Branches;
  // A volatile load runs exactly once, whether or not its result is used.
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
  int64_t cost = costs.getCost(block);
  if (mine.size() > 1 && (cost >= kExpensive || isLongHash(block)))
    return Reason::Shared;
  // Many atomic accesses run element by element, so their operands are better computed in vectors before. Addresses
  // with a stride are not materialized, because in memory they would not be recognized as contiguous.
  if (cost >= kWorthHoisting && !isStridedAddress(block) && !isContiguousLoad(block) && llvm::any_of(mine, isAtomic))
    return Reason::Atomic;
  if (cost >= kWorthHoisting && llvm::any_of(mine, [&](Operation *user) { return isInDeeperLoop(op, user); }))
    return Reason::Loop;
  return std::nullopt;
}

} // namespace blockdsl

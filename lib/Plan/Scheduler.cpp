//===- Scheduler.cpp - Fusion of consumers into loop nests ---------------===//

#include "blockdsl/Plan/Scheduler.h"

#include "blockdsl/Analysis/DemandedMask.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

#include <map>

using namespace mlir;

namespace blockdsl {

//===-- Scheduling ----------------------------------------------------------===//

/// Limits register pressure: a nest computes all the values that it stores before the first store.
constexpr unsigned kMostRoots = 32;

namespace {

/// The last unit that accesses each object. Two accesses can only conflict if their objects are equal, one object is
/// unknown, or both are volatile.
class LastAccesses {
public:
  explicit LastAccesses(const MaterializationPlan &plan) : plan(plan) {}

  void add(const MemoryAccess &access, int unit) {
    note(last[keyOf(access)], unit);
    if (!access.isBuffer)
      note(last[kAny], unit);
    if (access.isVolatile)
      note(last[kVolatile], unit);
  }
  /// Returns the last unit with an access that may conflict with `access`; -1 for none.
  int find(const MemoryAccess &access) const {
    Key key = keyOf(access);
    if (access.isBuffer)
      return at(key);
    int found = key == kUnknown ? at(kAny) : std::max(at(key), at(kUnknown));
    return access.isVolatile ? std::max(found, at(kVolatile)) : found;
  }

private:
  using Key = std::pair<void *, int>;
  static constexpr Key kUnknown = {nullptr, 0}, kAny = {nullptr, 1}, kVolatile = {nullptr, 3};
  Key keyOf(const MemoryAccess &access) const {
    return {plan.getObject(access).getAsOpaquePointer(), access.isBuffer ? 2 : 0};
  }
  int at(Key key) const {
    auto found = last.find(key);
    return found == last.end() ? -1 : found->second;
  }
  static void note(int &unit, int later) { unit = std::max(unit, later); }

  const MaterializationPlan &plan;
  std::map<Key, int> last;
};

class Scheduler {
public:
  Scheduler(MaterializationPlan &plan, Block &block)
      : plan(plan), block(block), lastReads(plan), lastWrites(plan), scalarReads(plan) {}

  Schedule run(ArrayRef<std::pair<Value, Value>> results);

private:
  void place(Operation *op);
  void placeRoot(FusionRoot root, ArrayRef<int64_t> shape, DemandedMask demand, ArrayRef<Value> inputs);
  bool computesBranches(Operation *consumer);
  bool canJoinScan(const FusionGroup &scan, const FusionGroup &probe);
  int findNest(int after, ArrayRef<int64_t> shape, DemandedMask demand, const FusionGroup &probe);
  void placeUnit(FusionGroup::Kind kind, Operation *op);
  void placeScalar(Operation *op);
  bool isPlaced(Value value, Operation *at);
  bool isUsedByItsNest(Value value);
  int readyAfter(Value value, bool inNest);
  int readyAfterAll(Operation *op, bool inNest);
  int lastConflict(const FusionGroup &unit, bool mayJoin);
  void noteAccesses(const FusionGroup &unit, int index);
  bool isNeededBeyond(Value value, const llvm::DenseSet<Operation *> &inside);
  void dropUnneeded();
  DemandedMask findDemand(const FusionGroup &scan, int index);
  void finishScans();
  void order();

  MaterializationPlan &plan;
  Block &block;
  Schedule schedule;
  /// The number of units after which a value is available.
  llvm::DenseMap<Value, int> ready;
  llvm::DenseMap<Value, int> lazyReady[2];
  llvm::DenseMap<Value, DemandedMask> demands;
  LastAccesses lastReads, lastWrites;
  /// For objects that scalar ops read, the number of units that precede the last read.
  LastAccesses scalarReads;
  std::multimap<int, Operation *> scalars; // Ops of equal keys stay in program order.
};

/// Returns true if a nest at `at` can compute `value`: its operands are placed, and the loads that it depends on
/// precede `at`.
bool Scheduler::isPlaced(Value value, Operation *at) {
  llvm::SetVector<Value> parts;
  parts.insert(value);
  for (unsigned next = 0; next < parts.size(); ++next) {
    Value part = parts[next];
    Operation *op = part.getDefiningOp();
    if (part.getParentBlock() != &block) {
      // Defined in a nested region, or else in an enclosing block.
      if (block.getParent()->isAncestor(part.getParentRegion()))
        return false;
      continue;
    }
    if (!op || ready.contains(part) || matchPattern(op, m_Constant()))
      continue;
    if (!isFusible(op) || plan.isMaterialized(part))
      return false;
    SmallVector<MemoryAccess> reads, writes;
    plan.collectAccesses(op, reads, writes);
    if (!reads.empty() && !op->isBeforeInBlock(at))
      return false;
    parts.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), parts);
  }
  return true;
}

/// Returns true if the nest that computes a block that is kept in memory may use its elements, too.
bool Scheduler::isUsedByItsNest(Value value) {
  Operation *op = value.getDefiningOp();
  return isa<ScanOp>(op) || (isFusible(op) && plan.isMaterialized(value));
}

/// Returns the first unit that can use `value`. With `inNest` a block in memory can already be used by the nest that
/// computes it.
int Scheduler::readyAfter(Value value, bool inNest) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != &block)
    return 0;
  if (auto found = ready.find(value); found != ready.end())
    return found->second - (inNest && isUsedByItsNest(value) ? 1 : 0);
  if (!isFusible(op))
    return 0;
  if (auto found = lazyReady[inNest].find(value); found != lazyReady[inNest].end())
    return found->second;
  int after = readyAfterAll(op, inNest);
  return lazyReady[inNest][value] = after;
}

int Scheduler::readyAfterAll(Operation *op, bool inNest) {
  int after = 0;
  for (Value operand : op->getOperands())
    after = std::max(after, readyAfter(operand, inNest));
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  for (Value value : captured)
    after = std::max(after, readyAfter(value, /*inNest=*/inNest && !isa<RankedTensorType>(value.getType())));
  return after;
}

/// Returns the first index at which `unit` keeps its memory accesses in order.
int Scheduler::lastConflict(const FusionGroup &unit, bool mayJoin) {
  int last = -1, afterScalars = 0;
  for (const MemoryAccess &write : unit.writes)
    afterScalars = std::max(afterScalars, scalarReads.find(write));
  for (const MemoryAccess &read : unit.reads)
    last = std::max(last, lastWrites.find(read));
  for (const MemoryAccess &write : unit.writes)
    last = std::max({last, lastReads.find(write), lastWrites.find(write)});
  if (last < afterScalars || !mayJoin)
    return std::max(last + 1, afterScalars);
  const FusionGroup &other = *schedule.units[last];
  auto conflicts = [&](ArrayRef<MemoryAccess> mine, ArrayRef<MemoryAccess> theirs, bool pointwiseIsFine) {
    for (const MemoryAccess &a : mine)
      for (const MemoryAccess &b : theirs)
        if (plan.mayConflict(a, b) && !(pointwiseIsFine && plan.meetElementwise(a, b)))
          return true;
    return false;
  };
  bool conflict = conflicts(unit.reads, other.writes, /*pointwiseIsFine=*/false) ||
                  conflicts(unit.writes, other.reads, /*pointwiseIsFine=*/true) ||
                  conflicts(unit.writes, other.writes, /*pointwiseIsFine=*/true);
  return conflict ? last + 1 : last;
}

void Scheduler::noteAccesses(const FusionGroup &unit, int index) {
  for (const MemoryAccess &read : unit.reads)
    lastReads.add(read, index);
  for (const MemoryAccess &write : unit.writes)
    lastWrites.add(write, index);
}

/// Returns true if two consumers can share a nest: they have the same mask and do not reduce different dimensions.
static bool canJoin(DemandedMask a, DemandedMask b) {
  return a.mask == b.mask && (a.axis == -1 || b.axis == -1 || a.axis == b.axis);
}

/// Returns true if `root` reads `input` only at its own index.
static bool readsInPlace(const FusionRoot &root, Value input) {
  auto generic = dyn_cast_or_null<linalg::LinalgOp>(root.op);
  return !generic || llvm::all_of(generic.getDpsInputOperands(), [&](OpOperand *operand) {
    return operand->get() != input || generic.getMatchingIndexingMap(operand).isIdentity();
  });
}

/// Returns true if an op on blocks, or one that computes its operands in its loops, has branches. They run for one
/// element at a time.
bool Scheduler::computesBranches(Operation *consumer) {
  llvm::SetVector<Operation *> ops;
  ops.insert(consumer);
  for (unsigned next = 0; next < ops.size(); ++next) {
    if (hasBranches(ops[next]))
      return true;
    for (Value operand : ops[next]->getOperands())
      if (Operation *op = operand.getDefiningOp(); op && isFusible(op) && !plan.isMaterialized(operand))
        ops.insert(op);
  }
  return false;
}

/// Returns true if the consumer of `probe` can run in the nest of a scan: it stores what is computed from the results.
bool Scheduler::canJoinScan(const FusionGroup &scan, const FusionGroup &probe) {
  return probe.roots[0].kind == FusionRoot::Kind::Effects && !computesBranches(probe.roots[0].op) &&
         llvm::any_of(probe.reads, [&](const MemoryAccess &read) {
           return read.isBuffer && read.object.getDefiningOp() == scan.op;
         });
}

/// Returns the index of the first nest from `after` on that the consumer of `probe` can join, or of a new nest.
int Scheduler::findNest(int after, ArrayRef<int64_t> shape, DemandedMask demand, const FusionGroup &probe) {
  for (int candidate = after; candidate < static_cast<int>(schedule.units.size()); ++candidate) {
    FusionGroup &unit = *schedule.units[candidate];
    if (unit.roots.size() >= kMostRoots || ArrayRef<int64_t>(unit.shape) != shape)
      continue;
    if ((unit.kind == FusionGroup::Kind::Nest && canJoin(unit.demand, demand)) ||
        (unit.kind == FusionGroup::Kind::Scan && canJoinScan(unit, probe)))
      return candidate;
  }
  schedule.units.push_back(std::make_unique<FusionGroup>(FusionGroup::Kind::Nest));
  schedule.units.back()->shape.assign(shape.begin(), shape.end());
  schedule.units.back()->demand = demand;
  return schedule.units.size() - 1;
}

static SmallVector<int64_t, 4> shapeOf(Value block) {
  return SmallVector<int64_t, 4>(cast<RankedTensorType>(block.getType()).getShape());
}

void Scheduler::placeRoot(FusionRoot root, ArrayRef<int64_t> shape, DemandedMask demand, ArrayRef<Value> inputs) {
  FusionGroup probe(FusionGroup::Kind::Nest);
  probe.roots.push_back(root);
  int after = 0;
  for (Value input : inputs) {
    if (!isa<RankedTensorType>(input.getType())) {
      after = std::max(after, readyAfter(input, true));
      continue;
    }
    // The written block is computed here, although it counts as materialized.
    bool self = root.kind == FusionRoot::Kind::Write && input == root.block;
    Operation *def = input.getDefiningOp();
    if (self && def && isFusible(def) && def->getBlock() == &block && plan.isMaterialized(input) &&
        !ready.contains(input))
      after = std::max(after, readyAfterAll(def, true));
    else
      after = std::max(after, readyAfter(input, true));
    plan.collectReads(input, probe.reads, readsInPlace(root, input));
    if (self && def && isFusible(def))
      plan.collectAccesses(def, probe.reads, probe.writes); // a volatile load
  }
  // A block that is read at another index has to be complete, so the nest that computes it cannot be joined.
  for (const MemoryAccess &read : probe.reads)
    if (read.isElsewhere())
      after = std::max(after, readyAfter(read.object, /*inNest=*/false));
  if (root.op) {
    after = std::max(after, readyAfterAll(root.op, true));
    plan.collectAccesses(root.op, probe.reads, probe.writes);
  }
  if (root.kind == FusionRoot::Kind::Write && root.target != root.block)
    probe.writes.push_back({root.target, root.target, true});
  if (demand)
    after = std::max(after, readyAfter(demand.mask, true));
  after = std::max(after, lastConflict(probe, /*mayJoin=*/true));

  int index = findNest(after, shape, demand, probe);
  FusionGroup &unit = *schedule.units[index];
  noteAccesses(probe, index);
  if (root.kind == FusionRoot::Kind::Reduce)
    unit.axis = demand.axis;
  if (unit.kind == FusionGroup::Kind::Nest)
    unit.demand.axis = std::max(unit.demand.axis, demand.axis);
  unit.reads.append(probe.reads.begin(), probe.reads.end());
  unit.writes.append(probe.writes.begin(), probe.writes.end());
  unit.roots.push_back(root);
  if (root.kind == FusionRoot::Kind::Write && root.block == root.target)
    ready[root.block] = index + 1;
  if (root.op)
    for (Value result : root.op->getResults())
      ready[result] = index + 1;
}

void Scheduler::placeUnit(FusionGroup::Kind kind, Operation *op) {
  auto unit = std::make_unique<FusionGroup>(kind, op);
  if (kind == FusionGroup::Kind::Scan)
    unit->shape = shapeOf(op->getOperand(0));
  plan.collectAccesses(op, unit->reads, unit->writes);
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used)
    if (isa<RankedTensorType>(value.getType())) {
      plan.collectReads(value, unit->reads);
    }
  for (Value result : op->getResults())
    ready[result] = schedule.units.size() + 1;
  noteAccesses(*unit, schedule.units.size());
  schedule.units.push_back(std::move(unit));
}

void Scheduler::placeScalar(Operation *op) {
  int after = readyAfterAll(op, /*inNest=*/false);
  FusionGroup probe(FusionGroup::Kind::Scalar);
  plan.collectAccesses(op, probe.reads, probe.writes);
  // An element of a block that is not materialized is computed here, with its loads.
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()) && !plan.isMaterialized(operand))
      plan.collectReads(operand, probe.reads);
  after = std::max(after, lastConflict(probe, /*mayJoin=*/false));
  for (const MemoryAccess &read : probe.reads)
    scalarReads.add(read, after);
  for (Value result : op->getResults())
    ready[result] = after;
  scalars.insert({after, op});
}

void Scheduler::place(Operation *op) {
  if (isFusible(op)) {
    for (Value result : op->getResults())
      if (plan.isMaterialized(result)) {
        DemandedMask demand = getDemandedMask(result, demands);
        // The consumers' mask may not be available yet.
        if (demand && !isPlaced(demand.mask, op))
          demand = {};
        placeRoot({FusionRoot::Kind::Write, nullptr, result, result}, shapeOf(result), demand, result);
      }
    return;
  }
  if (auto generic = dyn_cast<linalg::GenericOp>(op)) {
    SmallVector<Value> inputs(op->operand_begin(), op->operand_end());
    placeRoot({FusionRoot::Kind::Effects, op, {}, {}}, shapeOf(inputs[0]), getDemandedMask(op), inputs);
    return;
  }
  if (isa<ReduceOp>(op)) {
    SmallVector<Value> inputs(op->operand_begin(), op->operand_end());
    placeRoot({FusionRoot::Kind::Reduce, op, {}, {}}, shapeOf(inputs[0]), getDemandedMask(op), inputs);
    return;
  }
  if (isa<ScanOp>(op))
    return placeUnit(FusionGroup::Kind::Scan, op);
  if (isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op))
    return placeUnit(FusionGroup::Kind::Matmul, op);
  if (isa<HistogramOp>(op))
    return placeUnit(FusionGroup::Kind::Histogram, op);
  if (isAtomic(op))
    return placeUnit(FusionGroup::Kind::Atomic, op);
  if (op->getNumRegions() != 0)
    return placeUnit(FusionGroup::Kind::Structured, op);
  auto load = dyn_cast<LoadOp>(op);
  if (isMemoryEffectFree(op) || (load && !load.getIsVolatile()))
    return placeScalar(op);
  placeUnit(FusionGroup::Kind::Scalar, op);
}

/// Returns the ops whose elements a nest computes.
static llvm::DenseSet<Operation *> opsOf(const FusionGroup &unit) {
  llvm::DenseSet<Operation *> ops;
  for (const FusionRoot &root : unit.roots)
    ops.insert(root.op ? root.op : root.block.getDefiningOp());
  return ops;
}

/// Returns true if a consumer that is not in `inside` evaluates `value`.
bool Scheduler::isNeededBeyond(Value value, const llvm::DenseSet<Operation *> &inside) {
  auto isInside = [&](Operation *consumer) { return inside.contains(consumer) && consumer->getBlock() == &block; };
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    if (isa<linalg::LinalgOp>(user->getParentOp()))
      return true; // read at computed indices
    bool isComputed =
        isFusible(user) && llvm::none_of(user->getResults(), [&](Value result) { return plan.isMaterialized(result); });
    if (!isComputed)
      return !isInside(user);
    return llvm::any_of(user->getResults(),
                        [&](Value result) { return !llvm::all_of(plan.getConsumers(result), isInside); });
  });
}

/// Returns the mask of all stores in the nest of a scan: elements behind it need not be computed. Null if there is none
/// that is known before the scan.
DemandedMask Scheduler::findDemand(const FusionGroup &scan, int index) {
  DemandedMask demand;
  for (const FusionRoot &root : scan.roots) {
    DemandedMask mine = root.op ? getDemandedMask(root.op) : DemandedMask();
    if (!mine || (demand && demand.mask != mine.mask) || readyAfter(mine.mask, /*inNest=*/false) > index)
      return {};
    demand = mine;
  }
  // A reverse scan begins with the last elements.
  return cast<ScanOp>(scan.op).getReverse() ? DemandedMask() : demand;
}

/// Keeps the results of scans that other nests use in buffers, and sets the masks of scans.
void Scheduler::finishScans() {
  for (auto [index, unit] : llvm::enumerate(schedule.units)) {
    if (unit->kind != FusionGroup::Kind::Scan)
      continue;
    llvm::DenseSet<Operation *> inside = opsOf(*unit);
    for (Value result : unit->op->getResults())
      if (isNeededBeyond(result, inside))
        unit->roots.push_back({FusionRoot::Kind::Write, nullptr, result, result});
    unit->demand = findDemand(*unit, index);
  }
}

/// Drops the buffers of blocks that only the nest that computes them uses.
void Scheduler::dropUnneeded() {
  llvm::DenseSet<Operation *> dropped;
  for (auto &unit : llvm::reverse(schedule.units)) {
    if (unit->kind != FusionGroup::Kind::Nest)
      continue;
    llvm::DenseSet<Operation *> inside = opsOf(*unit);
    for (int index = unit->roots.size() - 1; index >= 0; --index) {
      FusionRoot root = unit->roots[index];
      if (root.kind != FusionRoot::Kind::Write || root.block != root.target || unit->roots.size() == 1)
        continue;
      if (root.block.getDefiningOp()->getBlock() != &block)
        continue;
      bool captured = llvm::any_of(root.block.getUsers(),
                                   [&](Operation *user) { return isa<linalg::LinalgOp>(user->getParentOp()); });
      bool needed = captured || !llvm::all_of(plan.getConsumers(root.block), [&](Operation *consumer) {
                      return inside.contains(consumer) && consumer->getBlock() == &block;
                    });
      // In a nest that writes memory, recomputing a load after a store could read the changed memory.
      if (needed || !unit->writes.empty())
        continue;
      plan.rematerialize(root.block);
      unit->roots.erase(unit->roots.begin() + index);
    }
  }
}

void Scheduler::order() {
  auto next = scalars.begin();
  auto scalarsUpTo = [&](int units) {
    for (; next != scalars.end() && next->first <= units; ++next)
      schedule.steps.push_back({nullptr, next->second});
  };
  for (auto [index, unit] : llvm::enumerate(schedule.units)) {
    scalarsUpTo(index);
    schedule.steps.push_back({unit.get(), nullptr});
  }
  scalarsUpTo(schedule.units.size());
}

Schedule Scheduler::run(ArrayRef<std::pair<Value, Value>> results) {
  for (Operation &op : block.without_terminator())
    place(&op);
  Value mask = getUpdateMask(results);
  for (auto [value, target] : results)
    placeRoot({FusionRoot::Kind::Write, nullptr, value, target}, shapeOf(value), {mask}, value);
  dropUnneeded();
  finishScans();
  order();
  return std::move(schedule);
}

} // namespace

Schedule makeSchedule(MaterializationPlan &plan, Block &block, ArrayRef<std::pair<Value, Value>> results) {
  return Scheduler(plan, block).run(results);
}

} // namespace blockdsl

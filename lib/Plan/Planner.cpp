//===- Planner.cpp - Planner of a kernel's nests --------------------------===//

#include "blockdsl/Plan/Planner.h"

#include "blockdsl/Plan/AccumulatedMatmuls.h"
#include "blockdsl/Plan/MatmulPlan.h"
#include "blockdsl/Plan/Scheduler.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace blockdsl {

// Defined here because MatmulPlan and RegionPlan are incomplete in Plan.h.
FusionGroup::FusionGroup(Kind kind, Operation *op) : kind(kind), op(op) {}
FusionGroup::~FusionGroup() = default;

namespace {

bool isBlock(Value value) { return isa<RankedTensorType>(value.getType()); }

class Planner {
public:
  explicit Planner(PlanContext &context) : context(context) {}

  /// Plans all of `block` but its terminator, and then the copies of its results to the buffers of their targets.
  Schedule planBlock(Block &block, const Targets &results);

private:
  void planUnit(FusionGroup &unit);
  void planNest(FusionGroup &unit);
  DemandedMask findDemand(linalg::LinalgOp matmul);
  std::unique_ptr<RegionPlan> planRegion(Operation *op);
  void planFor(scf::ForOp loop, RegionPlan &plan);
  void planIf(scf::IfOp branch, RegionPlan &plan);
  void planWhile(scf::WhileOp loop, RegionPlan &plan);
  CopyPlan planCopies(Targets copies);
  Targets orderYields(scf::ForOp loop, RegionPlan &plan);
  bool canAccumulateInPlace(Value yielded, Value carried);

  PlanContext &context;
};

Schedule Planner::planBlock(Block &block, const Targets &results) {
  Schedule schedule = makeSchedule(context.storage, block, results);
  for (const ScheduledOp &step : schedule.steps) {
    if (step.scalar) {
      context.setComputed(step.scalar->getResults());
      continue;
    }
    planUnit(*step.unit);
  }
  return schedule;
}

void Planner::planUnit(FusionGroup &unit) {
  switch (unit.kind) {
  case FusionGroup::Kind::Nest:
    return planNest(unit);
  case FusionGroup::Kind::Structured:
    unit.region = planRegion(unit.op);
    break;
  case FusionGroup::Kind::Matmul:
    unit.demand = findDemand(cast<linalg::LinalgOp>(unit.op));
    break;
  case FusionGroup::Kind::Atomic:
    if (unit.op->use_empty())
      return; // without a buffer for its results
    break;
  case FusionGroup::Kind::Scan:
  case FusionGroup::Kind::Histogram:
  case FusionGroup::Kind::Scalar:
    break;
  }
  context.setComputed(unit.op->getResults());
}

/// Returns the elements that consumers use of a matmul, if their mask can be computed before it. Tiles that exceed the
/// matrix are stored under a mask, and elements that are not stored need not be computed.
DemandedMask Planner::findDemand(linalg::LinalgOp matmul) {
  DemandedMask demand = getDemandedMaskOfMatmul(matmul);
  auto isKept = [&](Value block) { return context.isInMemory(block) || context.storage.isMaterialized(block); };
  auto isAvailable = [&](Value scalar) { return context.isAvailable(scalar); };
  // A mask of a branch behind the matmul is not visible before it.
  bool isVisible = demand && demand.mask.getParentRegion()->isAncestor(matmul->getParentRegion());
  return isVisible && canEvaluate(demand.mask, isKept, isAvailable) ? demand : DemandedMask();
}

void Planner::planNest(FusionGroup &unit) {
  for (const FusionRoot &root : unit.roots)
    if (root.kind == FusionRoot::Kind::Write)
      context.setInMemory(root.target);
    else
      context.setComputed(root.op->getResults());
}

/// Plans one nest for all copies of one shape.
CopyPlan Planner::planCopies(Targets copies) {
  CopyPlan plan;
  for (auto [value, target] : copies) {
    context.setInMemory(target);
    ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
    auto same = llvm::find_if(plan.nests, [&](const auto &unit) { return ArrayRef(unit->shape) == shape; });
    if (same == plan.nests.end()) {
      plan.nests.push_back(std::make_unique<FusionGroup>(FusionGroup::Kind::Nest));
      same = std::prev(plan.nests.end());
      (*same)->shape.assign(shape.begin(), shape.end());
    }
    (*same)->roots.push_back({FusionRoot::Kind::Write, nullptr, value, target});
  }
  for (auto &unit : plan.nests)
    planNest(*unit);
  plan.copies = std::move(copies);
  return plan;
}

/// Returns the blocks among `values`, each with its target.
Targets blocksOf(ValueRange values, ValueRange targets) {
  Targets blocks;
  for (auto [value, target] : llvm::zip(values, targets))
    if (isBlock(value))
      blocks.push_back({value, target});
  return blocks;
}

std::unique_ptr<RegionPlan> Planner::planRegion(Operation *op) {
  auto plan = std::make_unique<RegionPlan>();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    planFor(loop, *plan);
  else if (auto branch = dyn_cast<scf::IfOp>(op))
    planIf(branch, *plan);
  else if (auto loop = dyn_cast<scf::WhileOp>(op))
    planWhile(loop, *plan);
  return plan;
}

void Planner::planFor(scf::ForOp loop, RegionPlan &plan) {
  Targets inits, zeros;
  for (auto [index, value, carried] : llvm::enumerate(loop.getInitArgs(), loop.getRegionIterArgs())) {
    if (!isBlock(value))
      continue;
    linalg::LinalgOp matmul = getAccumulated(loop, index);
    bool isZero = matmul && startsWithZero(loop, index);
    (isZero ? zeros : inits).push_back({value, carried});
  }
  for (auto [value, carried] : zeros)
    context.setInMemory(carried);
  plan.inits = planCopies(std::move(inits));
  context.setAvailable(loop.getInductionVar());
  context.setComputed(loop.getRegionIterArgs());
  plan.bodies.push_back(planBlock(*loop.getBody(), orderYields(loop, plan)));
  context.setComputed(loop.getResults());
  std::optional<APInt> iterations = loop.getStaticTripCount();
  plan.mayBeEmpty = !zeros.empty() && (!iterations || iterations->isZero());
  if (plan.mayBeEmpty)
    plan.whenEmpty = planCopies(std::move(zeros));
}

void Planner::planIf(scf::IfOp branch, RegionPlan &plan) {
  for (Value result : branch.getResults())
    if (isBlock(result))
      context.setInMemory(result);
  for (Region &region : branch->getRegions())
    if (!region.empty())
      plan.bodies.push_back(
          planBlock(region.front(), blocksOf(region.front().getTerminator()->getOperands(), branch.getResults())));
}

void Planner::planWhile(scf::WhileOp loop, RegionPlan &plan) {
  plan.inits = planCopies(blocksOf(loop.getInits(), loop.getBeforeArguments()));
  context.setComputed(loop.getBeforeArguments());
  for (Value argument : loop.getAfterArguments())
    if (isBlock(argument))
      context.setInMemory(argument);
  plan.bodies.push_back(
      planBlock(*loop.getBeforeBody(), blocksOf(loop.getConditionOp().getArgs(), loop.getAfterArguments())));
  context.setComputed(loop.getAfterArguments());
  plan.bodies.push_back(
      planBlock(*loop.getAfterBody(), blocksOf(loop.getYieldOp().getOperands(), loop.getBeforeArguments())));
}

/// Returns true if a matmul that replaces the block `carried` in each iteration can accumulate in its buffer: nothing
/// else reads the old value, and the matmul reads it only as the accumulator, element by element.
bool Planner::canAccumulateInPlace(Value yielded, Value carried) {
  auto matmul = yielded.getDefiningOp<linalg::LinalgOp>();
  if (!matmul || matmul->getBlock() != carried.getParentBlock() || matmul.getNumReductionLoops() == 0 ||
      !yielded.hasOneUse())
    return false;
  SmallVector<Value> worklist = {carried};
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user == matmul.getOperation()) {
        if (!matmul.isDpsInit(&use))
          return false;
        continue;
      }
      auto fusible = dyn_cast<linalg::LinalgOp>(user);
      if (!fusible || !isFusible(user) || context.storage.isMaterialized(user->getResult(0)) ||
          user->getBlock() != matmul->getBlock() || !fusible.getMatchingIndexingMap(&use).isIdentity())
        return false;
      worklist.push_back(user->getResult(0));
    }
  }
  return true;
}

/// Orders the writes at the end of an iteration so that none changes a block that a later one reads.
Targets Planner::orderYields(scf::ForOp loop, RegionPlan &plan) {
  ValueRange carried = loop.getRegionIterArgs();
  Targets targets, copies;
  for (auto [index, value] : llvm::enumerate(loop.getYieldedValues())) {
    Value target = carried[index], spare = loop.getResult(index);
    if (!isBlock(value) || value == target)
      continue;
    if (canAccumulateInPlace(value, target)) {
      plan.inPlace.push_back({value, target});
      context.setInMemory(value);
      continue;
    }
    SmallVector<MemoryAccess> reads;
    context.storage.collectReads(value, reads);
    bool readsAnother = llvm::any_of(reads, [&](const MemoryAccess &read) {
      return read.isBuffer && llvm::is_contained(carried, read.object) && (read.object != target || !read.address);
    });
    if (!readsAnother) {
      targets.push_back({value, target});
      continue;
    }
    // Another write would clobber a block that this value is computed from, so the value is materialized first.
    Operation *def = value.getDefiningOp();
    if (def && def->getBlock() == loop.getBody() && isFusible(def)) {
      context.storage.materialize(value, MaterializationReason::Carried);
      copies.push_back({value, target});
    } else {
      plan.spares.push_back(spare);
      context.setInMemory(spare);
      targets.insert(targets.begin(), {value, spare});
      copies.push_back({spare, target});
    }
  }
  llvm::append_range(targets, copies);
  return targets;
}

} // namespace

Schedule planKernel(PlanContext &context, FuncOp function) {
  context.setComputed(function.getArguments());
  return Planner(context).planBlock(function.getBody().front(), {});
}

} // namespace blockdsl

//===- NestBuilder.cpp - Builder of a kernel's nests ---------------------===//
//
// Orders the ops of each block by its schedule. OpPlacer places the fusible ops, which the schedule does not list.
//
//===----------------------------------------------------------------------===//

#include "NestBuilder.h"

#include "OpPlacer.h"
#include "blockdsl/Analysis/CombineRegions.h"
#include "blockdsl/Analysis/MaskedOffValues.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace blockdsl {
namespace {

using cpu::NestOp;
using cpu::Storage;

//===-- Regions of nests ----------------------------------------------------===//

/// Values that a nest yields, with their uses and storage.
struct KeptValues {
  SmallVector<Value> values; ///< operands of the yield
  SmallVector<Value> uses;   ///< values whose uses outside of the region are replaced by the results
  SmallVector<Value> targets;
  SmallVector<Attribute> storage;

  void add(Value value, Storage kept, Value use, Value target = {}) {
    values.push_back(value);
    uses.push_back(use);
    targets.push_back(target);
    storage.push_back(cpu::StorageAttr::get(value.getContext(), kept));
  }
};

class NestBuilder {
public:
  explicit NestBuilder(FuncOp function) : builder(function), placer(function) {}

  /// Builds the nests of a block. `yielded` are the operands of its terminator that are blocks of `targets`.
  void buildBlock(Block &block, const Schedule &schedule, MutableArrayRef<OpOperand> yielded = {},
                  ValueRange targets = {});

private:
  Value computeIn(NestBody &body, Value kept, const FusionGroup &unit);
  Value placeMask(const DemandedMask &demand);
  void buildUnit(const FusionGroup &unit);
  NestOp buildNest(const FusionGroup &unit, bool whenEmpty = false);
  void buildOp(const FusionGroup &unit);
  void buildRegion(const FusionGroup &unit);
  void buildInits(Operation *loop, const CopyPlan &plan, bool whenEmpty);
  NestOp createNest(Location loc, NestBody &body, const KeptValues &kept, Value mask);
  void yieldDestinations(MutableArrayRef<OpOperand> operands, ValueRange targets);
  Value resolve(Value value) const {
    Value found = results.lookup(value);
    return found ? found : value;
  }

  OpBuilder builder;
  OpPlacer placer;
  llvm::DenseMap<Value, Value> results;      ///< from values to the results of the nests that compute them
  llvm::DenseMap<Value, Value> destinations; ///< from carried blocks and branch results to their new values
  llvm::DenseSet<Value> inPlace;             ///< results of matmuls that are written to a loop-carried block
};

NestOp NestBuilder::createNest(Location loc, NestBody &body, const KeptValues &kept, Value mask) {
  builder.setInsertionPoint(placer.getEnd());
  auto nest = NestOp::create(builder, loc, ValueRange(kept.values).getTypes(), mask, IntegerAttr(), cpu::NestAttr(),
                             cpu::MatmulAttr(), cpu::BoundsAttr(), cpu::VersionsAttr(), cpu::StoresAttr(),
                             cpu::PrefetchAttr(), false, false);
  nest.getBody().push_back(body.block);
  OpBuilder inside = OpBuilder::atBlockEnd(body.block);
  cpu::YieldOp::create(inside, loc, kept.values, builder.getArrayAttr(kept.storage));
  for (auto [used, target, result] : llvm::zip(kept.uses, kept.targets, nest.getResults())) {
    if (target) {
      destinations[target] = result;
      results[target] = result;
      continue;
    }
    Value(used).replaceUsesWithIf(result, [&](OpOperand &use) { return !nest->isProperAncestor(use.getOwner()); });
    results[used] = result;
  }
  return nest;
}

/// Moves the op that computes `kept` into the region of the nest of `unit`, or clones it if other nests compute another
/// result of it. Returns the value in the region.
Value NestBuilder::computeIn(NestBody &body, Value kept, const FusionGroup &unit) {
  Operation *op = kept.getDefiningOp();
  bool isMoved = llvm::all_of(op->getResults(), [&](Value result) {
    return result.use_empty() || llvm::any_of(unit.roots, [&](const FusionRoot &root) {
             return root.block == result && root.target == result;
           });
  });
  if (op->getBlock() == body.block)
    return kept;
  if (isMoved) {
    placer.moveInto(body, op);
    return kept;
  }
  if (!body.clones.contains(kept)) {
    placer.placeOperands(op, &body);
    placer.cloneInto(body, op);
  }
  return body.clones.lookup(kept);
}

//===-- Units ---------------------------------------------------------------===//

/// Returns the storage of the block that a write root writes.
static Storage getStorage(const FusionRoot &root) {
  if (root.block == root.target)
    return Storage::Buffer;
  // The result of a loop holds the block until the end of the iteration; the result of a branch is its destination.
  bool isLoopResult = root.target.getDefiningOp<scf::ForOp>() != nullptr;
  return isLoopResult ? Storage::Spare : Storage::Destination;
}

/// Places the mask of a nest before it.
Value NestBuilder::placeMask(const DemandedMask &demand) {
  if (!demand)
    return {};
  Value mask = resolve(demand.mask);
  placer.place(mask);
  return mask;
}

/// Returns true if each reduction of `nest` is known to have neutral elements where its mask is false. This is unknown
/// for a block of an earlier nest whose region has a copy of the mask that loads from memory.
static bool isMaskNeutral(NestOp nest) {
  return llvm::all_of(nest.getBody().front().getOps<ReduceOp>(), [&](ReduceOp reduce) {
    Operation *combiner = getSimpleCombiner(reduce->getRegion(0));
    return combiner &&
           getMaskedOffInReduction(combiner, reduce->getOperand(0), reduce.getAxis(), nest.getMask()).has_value();
  });
}

NestOp NestBuilder::buildNest(const FusionGroup &unit, bool whenEmpty) {
  Value mask = placeMask(unit.demand);
  NestBody body;
  KeptValues kept;
  for (const FusionRoot &root : unit.roots) {
    if (root.kind != FusionRoot::Kind::Write) {
      placer.moveInto(body, root.op);
      for (Value result : root.op->getResults())
        if (!result.use_empty())
          kept.add(result, isa<RankedTensorType>(result.getType()) ? Storage::Buffer : Storage::Register, result);
      continue;
    }
    if (root.block == root.target) {
      kept.add(computeIn(body, root.block, unit), Storage::Buffer, root.block);
      continue;
    }
    Value value = root.block;
    if (value.getParentBlock() != body.block)
      value = resolve(value);
    placer.place(value, &body);
    kept.add(body.clones.lookupOrDefault(value), getStorage(root), value, root.target);
  }
  Location loc = unit.roots[0].op ? unit.roots[0].op->getLoc() : unit.roots[0].block.getLoc();
  NestOp nest = createNest(loc, body, kept, mask);
  if (mask && !isMaskNeutral(nest))
    nest.getMaskMutable().clear();
  if (nest.getMask() && unit.demand.axis != -1)
    nest.setMaskDim(unit.demand.axis);
  nest.setWhenEmpty(whenEmpty);
  return nest;
}

/// Returns true if a result of the op of `unit` is stored in memory. The nest of a scan may be its only user.
static bool isKept(const FusionGroup &unit, Value result) {
  if (unit.kind != FusionGroup::Kind::Scan)
    return !result.use_empty();
  return llvm::any_of(unit.roots, [&](const FusionRoot &root) { return root.target == result; });
}

/// Builds the nest of one matmul, scan, histogram or atomic access.
void NestBuilder::buildOp(const FusionGroup &unit) {
  Operation *op = unit.op;
  if (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>)) {
    placer.placeOp(op);
    return;
  }
  Value mask = placeMask(unit.demand);
  NestBody body;
  placer.moveInto(body, op);
  for (const FusionRoot &root : unit.roots)
    if (root.op)
      placer.moveInto(body, root.op);
  KeptValues kept;
  for (Value result : op->getResults())
    if (isKept(unit, result))
      kept.add(result, inPlace.contains(result) ? Storage::Destination : Storage::Buffer, result);
  createNest(op->getLoc(), body, kept, mask);
}

/// Builds the nests that copy the initial values of a loop.
void NestBuilder::buildInits(Operation *loop, const CopyPlan &plan, bool whenEmpty) {
  for (const auto &unit : plan.nests)
    buildNest(*unit, whenEmpty);
  if (auto forLoop = dyn_cast<scf::ForOp>(loop))
    yieldDestinations(forLoop.getInitArgsMutable(), forLoop.getRegionIterArgs());
  else if (auto whileLoop = dyn_cast<scf::WhileOp>(loop))
    yieldDestinations(whileLoop.getInitsMutable(), whileLoop.getBeforeArguments());
}

/// Replaces each operand whose target's value is computed by a nest.
void NestBuilder::yieldDestinations(MutableArrayRef<OpOperand> operands, ValueRange targets) {
  for (auto [operand, target] : llvm::zip(operands, targets)) {
    auto found = destinations.find(target);
    if (found == destinations.end())
      continue;
    operand.set(found->second);
    destinations.erase(found);
    results.erase(target);
  }
}

void NestBuilder::buildRegion(const FusionGroup &unit) {
  Operation *op = unit.op;
  const RegionPlan &plan = *unit.region;
  buildInits(op, plan.inits, /*whenEmpty=*/false);
  if (plan.mayBeEmpty)
    buildInits(op, plan.whenEmpty, /*whenEmpty=*/true);
  placer.placeOp(op);
  for (auto [value, target] : plan.inPlace)
    inPlace.insert(value);
  auto build = [&](Block *inner, const Schedule &schedule, ValueRange targets) {
    Operation *end = inner->getTerminator();
    unsigned first = isa<scf::ConditionOp>(end) ? 1 : 0;
    buildBlock(*inner, schedule, end->getOpOperands().drop_front(first), targets);
  };
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    build(loop.getBody(), plan.bodies[0], loop.getRegionIterArgs());
    // After the loop its results are the carried blocks, not the spares.
    for (Value spare : plan.spares) {
      results.erase(spare);
      destinations.erase(spare);
    }
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    unsigned next = 0;
    for (Region &region : branch->getRegions())
      if (!region.empty())
        build(&region.front(), plan.bodies[next++], branch.getResults());
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    build(loop.getBeforeBody(), plan.bodies[0], loop.getAfterArguments());
    build(loop.getAfterBody(), plan.bodies[1], loop.getBeforeArguments());
  }
}

void NestBuilder::buildUnit(const FusionGroup &unit) {
  switch (unit.kind) {
  case FusionGroup::Kind::Nest:
    if (!unit.roots.empty())
      buildNest(unit);
    return;
  case FusionGroup::Kind::Structured:
    return buildRegion(unit);
  case FusionGroup::Kind::Scan:
  case FusionGroup::Kind::Matmul:
  case FusionGroup::Kind::Histogram:
  case FusionGroup::Kind::Atomic:
    return buildOp(unit);
  case FusionGroup::Kind::Scalar:
    placer.placeOp(unit.op);
    return;
  }
}

void NestBuilder::buildBlock(Block &block, const Schedule &schedule, MutableArrayRef<OpOperand> yielded,
                             ValueRange targets) {
  Block *outer = placer.enter(block);
  for (const ScheduledOp &step : schedule.steps)
    if (step.unit)
      buildUnit(*step.unit);
    else
      placer.placeOp(step.scalar);
  yieldDestinations(yielded, targets);
  placer.leave(outer);
}

} // namespace

void buildNests(FuncOp function, const Schedule &plan) {
  Block &body = function.getBody().front();
  NestBuilder(function).buildBlock(body, plan);
  sinkIntoNests(body);
}

} // namespace blockdsl

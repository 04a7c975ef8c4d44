//===- NestBuilder.cpp - Builder of a kernel's nests ---------------------===//
//
// Orders the ops of each block by its schedule. A fusible op stays outside of the nests, before the first nest that
// uses it. If a single nest uses it, it is moved into that nest. If it is computed from a block that the same nest
// keeps, it is cloned into each nest that uses it.
//
//===----------------------------------------------------------------------===//

#include "NestBuilder.h"

#include "blockdsl/Analysis/CombineRegions.h"
#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Analysis/MaskedOffValues.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Plan/Plan.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

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
  explicit NestBuilder(FuncOp function) : builder(function) {}

  void buildBlock(Block &block, const Schedule &schedule);
  void eraseUnplaced(Block &block);

private:
  /// The region of a nest that is being built.
  struct Body {
    Block *block = new Block();
    IRMapping clones; ///< clones of ops that are computed from a block that the nest keeps
  };

  void place(ArrayRef<Value> values, Body *body = nullptr);
  void placeOperands(Operation *op, Body *body = nullptr);
  void cloneInto(Body &body, Operation *op);
  void moveInto(Body &body, Operation *op);
  Value computeIn(Body &body, Value kept, const FusionGroup &unit);
  Value placeMask(const DemandedMask &demand);
  void buildUnit(const FusionGroup &unit);
  NestOp buildNest(const FusionGroup &unit, bool whenEmpty = false);
  void buildOp(const FusionGroup &unit);
  void buildRegion(const FusionGroup &unit);
  void buildInits(Operation *loop, const CopyPlan &plan, bool whenEmpty);
  NestOp createNest(Location loc, Body &body, const KeptValues &kept, Value mask);
  void yieldDestinations(MutableArrayRef<OpOperand> operands, ValueRange targets);
  Value resolve(Value value) const {
    Value found = results.lookup(value);
    return found ? found : value;
  }

  OpBuilder builder;
  Block *block = nullptr;
  llvm::DenseMap<Operation *, unsigned> order; ///< numbers of the ops that are not placed yet
  llvm::DenseMap<Value, Value> results;        ///< from values to the results of the nests that compute them
  llvm::DenseMap<Value, Value> destinations;   ///< from carried blocks and branch results to their new values
  llvm::DenseSet<Value> inPlace;               ///< results of matmuls that are written to a loop-carried block
};

/// Places the ops that compute `values` and are not placed yet: ops that depend on a block that the nest itself keeps
/// are cloned into the region of `body`, others are moved before the terminator.
void NestBuilder::place(ArrayRef<Value> values, Body *body) {
  llvm::SetVector<Value> cone(values.begin(), values.end());
  SmallVector<Operation *> ops;
  llvm::SmallPtrSet<Operation *, 16> seen;
  for (unsigned next = 0; next < cone.size(); ++next) {
    Operation *op = cone[next].getDefiningOp();
    bool isCloned = body && body->clones.contains(cone[next]);
    if (!op || isCloned || !order.contains(op) || !seen.insert(op).second)
      continue;
    ops.push_back(op);
    cone.insert(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), cone);
  }
  llvm::sort(ops, [&](Operation *a, Operation *b) { return order[a] < order[b]; });
  for (Operation *op : ops) {
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    bool isInside = body && llvm::any_of(used, [&](Value value) {
                      return value.getParentBlock() == body->block || body->clones.contains(value);
                    });
    if (isInside) {
      cloneInto(*body, op);
    } else {
      // An op of an enclosing block is placed before the loop or branch that is being built.
      Block *home = op->getBlock();
      op->moveBefore(home == block ? home->getTerminator() : home->findAncestorOpInBlock(*block->getParentOp()));
      order.erase(op);
    }
  }
}

void NestBuilder::cloneInto(Body &body, Operation *op) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(body.block);
  builder.clone(*op, body.clones);
}

void NestBuilder::placeOperands(Operation *op, Body *body) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  place(used.getArrayRef(), body);
}

void NestBuilder::moveInto(Body &body, Operation *op) {
  placeOperands(op, &body);
  order.erase(op);
  op->remove();
  body.block->push_back(op);
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      operand.set(body.clones.lookupOrDefault(operand.get()));
  });
}

NestOp NestBuilder::createNest(Location loc, Body &body, const KeptValues &kept, Value mask) {
  builder.setInsertionPoint(block->getTerminator());
  auto nest = NestOp::create(builder, loc, ValueRange(kept.values).getTypes(), mask, IntegerAttr(), cpu::NestAttr(),
                             cpu::MatmulAttr(), cpu::BoundsAttr(), cpu::VersionsAttr(), false, false);
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
Value NestBuilder::computeIn(Body &body, Value kept, const FusionGroup &unit) {
  Operation *op = kept.getDefiningOp();
  bool isMoved = llvm::all_of(op->getResults(), [&](Value result) {
    return result.use_empty() || llvm::any_of(unit.roots, [&](const FusionRoot &root) {
             return root.block == result && root.target == result;
           });
  });
  if (op->getBlock() == body.block)
    return kept;
  if (isMoved) {
    moveInto(body, op);
    return kept;
  }
  if (!body.clones.contains(kept)) {
    placeOperands(op, &body);
    cloneInto(body, op);
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
  place(mask);
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
  Body body;
  KeptValues kept;
  for (const FusionRoot &root : unit.roots) {
    if (root.kind != FusionRoot::Kind::Write) {
      moveInto(body, root.op);
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
    place(value, &body);
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

/// Builds the nest of one matmul, scan, histogram or atomic access.
void NestBuilder::buildOp(const FusionGroup &unit) {
  Operation *op = unit.op;
  if (llvm::none_of(op->getOperandTypes(), llvm::IsaPred<RankedTensorType>)) {
    placeOperands(op);
    op->moveBefore(block->getTerminator());
    order.erase(op);
    return;
  }
  Value mask = placeMask(unit.demand);
  Body body;
  moveInto(body, op);
  KeptValues kept;
  for (Value result : op->getResults())
    if (!result.use_empty())
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
  placeOperands(op);
  op->moveBefore(block->getTerminator());
  order.erase(op);
  for (auto [value, target] : plan.inPlace)
    inPlace.insert(value);
  Block *outer = block;
  auto build = [&](Block *inner, const Schedule &schedule, ValueRange targets) {
    buildBlock(*inner, schedule);
    Operation *end = inner->getTerminator();
    unsigned first = isa<scf::ConditionOp>(end) ? 1 : 0;
    yieldDestinations(end->getOpOperands().drop_front(first), targets);
    eraseUnplaced(*inner);
    block = outer;
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
    placeOperands(unit.op);
    unit.op->moveBefore(block->getTerminator());
    order.erase(unit.op);
    return;
  }
}

void NestBuilder::buildBlock(Block &target, const Schedule &schedule) {
  block = &target;
  for (auto [index, op] : llvm::enumerate(target.without_terminator()))
    order[&op] = index;
  for (const ScheduledOp &step : schedule.steps) {
    if (step.unit) {
      buildUnit(*step.unit);
      continue;
    }
    placeOperands(step.scalar);
    step.scalar->moveBefore(block->getTerminator());
    order.erase(step.scalar);
  }
}

/// Erases ops without uses that are not placed, such as those that were cloned into nests.
void NestBuilder::eraseUnplaced(Block &target) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(target)))
    if (order.erase(&op) && op.use_empty())
      op.erase();
}

/// Returns the first user of `op` in the only nest that uses it; null if there are other users.
Operation *findOnlyNest(Operation &op) {
  NestOp only;
  Operation *first = nullptr;
  for (Operation *user : op.getUsers()) {
    auto nest = dyn_cast_or_null<NestOp>(op.getBlock()->findAncestorOpInBlock(*user));
    if (!nest || nest == user || (only && only != nest))
      return nullptr;
    only = nest;
    Operation *inside = nest.getBody().front().findAncestorOpInBlock(*user);
    if (!first || inside->isBeforeInBlock(first))
      first = inside;
  }
  return first;
}

/// Moves fusible ops into the nest if it is their only user.
void sinkIntoNests(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          sinkIntoNests(inner);
    if (isFusible(&op) && !isa<arith::ConstantOp>(op))
      if (Operation *user = findOnlyNest(op))
        op.moveBefore(user);
  }
}

} // namespace

void buildNests(FuncOp function, const Schedule &plan) {
  Block &body = function.getBody().front();
  NestBuilder builder(function);
  builder.buildBlock(body, plan);
  builder.eraseUnplaced(body);
  sinkIntoNests(body);
}

} // namespace blockdsl

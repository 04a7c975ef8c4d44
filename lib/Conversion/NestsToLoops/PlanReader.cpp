//===- PlanReader.cpp - Reader of a kernel's plan --------------------------===//
//
// Reads the order of the nests, and the loops and branches around them. NestReader reads single nests.
//
//===----------------------------------------------------------------------===//

#include "PlanReader.h"

#include "blockdsl/Analysis/FusibleOps.h"
#include "blockdsl/Dialect/TT/IR/AtomicAccess.h"
#include "blockdsl/Plan/AccumulatedMatmuls.h"
#include "blockdsl/Plan/NestReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

using cpu::NestOp;
using cpu::Storage;

namespace {

class PlanReader {
public:
  PlanReader(const VectorOptions &options, PointerAnalysis &hints, PointerAnalysis &pointers)
      : options(options), hints(hints), pointers(pointers) {}

  FailureOr<Schedule> readBlock(Block &block);

private:
  LogicalResult readNest(NestOp nest, FusionGroup &group);
  LogicalResult readEpilogue(NestOp nest, FusionGroup &group);
  LogicalResult readRegion(FusionGroup &group);
  LogicalResult readFor(scf::ForOp loop, RegionPlan &plan);
  LogicalResult readBodies(Operation *op, RegionPlan &plan);

  const VectorOptions &options;
  PointerAnalysis &hints;
  PointerAnalysis &pointers;
  /// The matmul on whose tiles the next nest with `epilogue` runs, and the loop that accumulates it.
  FusionGroup *stored = nullptr;
  AccumulatedMatmul *storedByLoop = nullptr;
};

LogicalResult PlanReader::readNest(NestOp nest, FusionGroup &group) {
  if (failed(readConsumers(nest, group)))
    return failure();
  group.versions = readVersions(nest);
  switch (group.kind) {
  case FusionGroup::Kind::Nest:
  case FusionGroup::Kind::Scan:
    if (failed(readConfig(nest, nest.getConfigAttr(), hints, group)) || failed(readMask(nest, group)) ||
        failed(readBounds(nest, pointers, group)) || failed(readStores(nest, hints, options.vectorBits, group)))
      return failure();
    return readEpilogue(nest, group);
  case FusionGroup::Kind::Matmul: {
    auto matmul = readMatmul(nest, cast<linalg::LinalgOp>(group.op), options, hints);
    if (failed(matmul))
      return failure();
    group.matmul = std::move(*matmul);
    group.demand = group.matmul->demand;
    if (failed(readBounds(nest, pointers, group)))
      return failure();
    group.matmul->bounds = group.bounds;
    if (nest.getMatmulAttr().getEpilogue())
      stored = &group;
    return success();
  }
  default:
    return success();
  }
}

/// Reads whether a nest runs on the tiles of the matmul before it.
LogicalResult PlanReader::readEpilogue(NestOp nest, FusionGroup &group) {
  group.isEpilogue = nest.getEpilogue();
  if (!group.isEpilogue)
    return success();
  if (!stored)
    return nest.emitOpError("expects a matmul with 'epilogue' before it");
  std::exchange(stored, nullptr)->matmul->epilogue = &group;
  if (AccumulatedMatmul *accumulated = std::exchange(storedByLoop, nullptr))
    accumulated->epilogue = &group;
  return success();
}

//===-- Loops and branches around nests -------------------------------------===//

LogicalResult PlanReader::readFor(scf::ForOp loop, RegionPlan &plan) {
  for (auto [index, init, carried] : llvm::enumerate(loop.getInitArgs(), loop.getRegionIterArgs())) {
    if (!isa<RankedTensorType>(init.getType()))
      continue;
    auto nest = init.getDefiningOp<NestOp>();
    bool isCopied = nest && !nest.getWhenEmpty();
    bool isDestination = nest && getTarget(cast<OpResult>(init)) == carried;
    if (nest && !isDestination)
      return loop.emitOpError("expects the initial value of a block in the storage 'destination'");
    Value start = nest ? nest.getYielded(cast<OpResult>(init)) : init;
    linalg::LinalgOp matmul = getAccumulated(loop, index);
    bool isZero = matchPattern(start, m_Zero()) || matchPattern(start, m_PosZeroFloat());
    if (!isCopied && !(matmul && isZero))
      return loop.emitOpError("expects a nest that writes the initial value of block #")
             << index << ", unless it is zero and a matmul adds to it";
    if (matmul)
      plan.accumulated.push_back({static_cast<unsigned>(index), matmul, !isCopied, nullptr});
  }
  for (auto [index, value] : llvm::enumerate(loop.getYieldedValues()))
    if (auto nest = value.getDefiningOp<NestOp>(); nest && nest.getMatmulAttr())
      plan.inPlace.push_back({nest.getYielded(cast<OpResult>(value)), loop.getRegionIterArg(index)});
  for (NestOp nest : loop.getOps<NestOp>())
    for (OpResult result : nest.getResults())
      if (nest.getStorage(result) == Storage::Spare)
        plan.spares.push_back(getTarget(result));
  if (llvm::is_contained(plan.spares, Value()))
    return loop.emitOpError("expects a result in the storage 'spare' to be copied to a block that the loop carries");
  if (failed(readBodies(loop, plan)))
    return failure();
  NestOp mergeable = findMergeableMatmul(loop);
  for (const auto &unit : plan.bodies.front().units)
    if (unit->matmul && unit->matmul->iterations != 1 && !(unit->nest == mergeable && isMergeable(*unit->matmul)))
      return unit->nest->emitOpError("expects 'iterations' only for a matmul of packed matrices in a loop that adds it "
                                     "up and computes nothing else but scalars");
  for (AccumulatedMatmul &each : plan.accumulated)
    if (stored && each.matmul == stored->op)
      storedByLoop = &each;
  return success();
}

LogicalResult PlanReader::readBodies(Operation *op, RegionPlan &plan) {
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    for (OpOperand &use : region.front().getTerminator()->getOpOperands()) {
      if (!isa<RankedTensorType>(use.get().getType()) || use.get() == getDestination(use))
        continue;
      auto result = dyn_cast<OpResult>(use.get());
      if (!result || !isa<NestOp>(result.getOwner()) || getTarget(result) != getDestination(use))
        return use.getOwner()->emitOpError("expects operand #")
               << use.getOperandNumber() << " to be the result of a nest in the storage 'destination'";
    }
    FailureOr<Schedule> body = readBlock(region.front());
    if (failed(body))
      return failure();
    plan.bodies.push_back(std::move(*body));
  }
  return success();
}

LogicalResult PlanReader::readRegion(FusionGroup &group) {
  group.region = std::make_unique<RegionPlan>();
  if (auto loop = dyn_cast<scf::ForOp>(group.op))
    return readFor(loop, *group.region);
  return readBodies(group.op, *group.region);
}

FailureOr<Schedule> PlanReader::readBlock(Block &block) {
  Schedule schedule;
  // Copies that only run if the loop after them has a trip count of zero.
  CopyPlan whenEmpty;
  auto add = [&](FusionGroup::Kind kind, Operation *op) -> FusionGroup & {
    schedule.units.push_back(std::make_unique<FusionGroup>(kind, op));
    schedule.steps.push_back({schedule.units.back().get(), nullptr});
    return *schedule.units.back();
  };
  for (Operation &op : block.without_terminator()) {
    if (isFusible(&op))
      continue;
    if (auto nest = dyn_cast<NestOp>(op)) {
      if (failed(readNest(nest, add(FusionGroup::Kind::Nest, nullptr))))
        return failure();
      if (!nest.getWhenEmpty())
        continue;
      for (const FusionRoot &root : schedule.units.back()->roots)
        whenEmpty.copies.push_back({root.block, root.target});
      whenEmpty.nests.push_back(std::move(schedule.units.back()));
      schedule.units.pop_back();
      schedule.steps.pop_back();
    } else if (isa<scf::ForOp, scf::IfOp, scf::WhileOp>(op)) {
      FusionGroup &group = add(FusionGroup::Kind::Structured, &op);
      if (failed(readRegion(group)))
        return failure();
      group.region->whenEmpty = std::exchange(whenEmpty, {});
      auto loop = dyn_cast<scf::ForOp>(op);
      std::optional<APInt> iterations = loop ? loop.getStaticTripCount() : std::nullopt;
      bool isFinished = !group.region->whenEmpty.nests.empty() || storedByLoop;
      group.region->mayBeEmpty = isFinished && (!iterations || iterations->isZero());
    } else if (isAtomic(&op)) {
      add(FusionGroup::Kind::Atomic, &op);
    } else {
      schedule.steps.push_back({nullptr, &op});
    }
  }
  if (!whenEmpty.nests.empty())
    return block.getParentOp()->emitOpError(
        "has an initial value for a loop without iterations, and no loop behind it");
  return schedule;
}

} // namespace

FailureOr<Schedule> readPlan(FuncOp function, const VectorOptions &options, PointerAnalysis &hints,
                             PointerAnalysis &pointers) {
  return PlanReader(options, hints, pointers).readBlock(function.getBody().front());
}

} // namespace blockdsl

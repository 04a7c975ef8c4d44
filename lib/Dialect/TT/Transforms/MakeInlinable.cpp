//===- MakeInlinable.cpp - Functions of a single block ----------*- C++ -*-===//
// Upstream's conversion of branches to scf, for the regions of the tt dialect.
//===----------------------------------------------------------------------===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/Transforms/Passes.h"
#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace blockdsl {
#define GEN_PASS_DEF_MAKEINLINABLEPASS
#include "blockdsl/Dialect/TT/Transforms/Passes.h.inc"
} // namespace blockdsl

using namespace blockdsl;

/// Rewrites a switch to nested ifs that take over its regions, and returns the outermost. There is at least one case.
static Operation *writeIfs(OpBuilder &builder, Location loc, Value flag, ArrayRef<APInt> cases,
                           MutableArrayRef<Region> regions, Region &defaultRegion, TypeRange results) {
  OpBuilder::InsertionGuard guard(builder);
  Operation *outermost = nullptr;
  for (auto [value, region] : llvm::zip_equal(cases, regions)) {
    Value caseValue = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(flag.getType(), value));
    Value isCase = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, flag, caseValue);
    auto ifOp = scf::IfOp::create(builder, loc, results, isCase, /*addThenBlock=*/false, /*addElseBlock=*/false);
    ifOp.getThenRegion().takeBody(region);
    if (outermost)
      scf::YieldOp::create(builder, loc, ifOp.getResults());
    else
      outermost = ifOp;
    if (&region == &regions.back())
      ifOp.getElseRegion().takeBody(defaultRegion);
    else
      builder.createBlock(&ifOp.getElseRegion());
  }
  return outermost;
}

/// Rewrites the switches of a text, which upstream's passes emit.
static void writeIfs(scf::IndexSwitchOp op) {
  IRRewriter rewriter(op);
  if (op.getNumCases() == 0) {
    Block &only = op.getDefaultBlock();
    auto end = cast<scf::YieldOp>(only.getTerminator());
    rewriter.inlineBlockBefore(&only, op);
    rewriter.replaceOp(op, end.getOperands());
    rewriter.eraseOp(end);
    return;
  }
  SmallVector<APInt> cases;
  for (int64_t value : op.getCases())
    cases.emplace_back(64, value, /*isSigned=*/true);
  Operation *ifs = writeIfs(rewriter, op.getLoc(), op.getArg(), cases, op.getCaseRegions(), op.getDefaultRegion(),
                            op.getResultTypes());
  rewriter.replaceOp(op, ifs);
}

namespace {
/// Upstream's conversion with two changes. After an infinite loop it emits a return of the tt dialect, of undefined
/// values. A switch, which upstream also emits for regions with several exits, becomes ifs, because later stages handle
/// no switches.
struct LiftToSCF : ControlFlowToSCFTransformation {
  FailureOr<Operation *> createStructuredBranchRegionOp(OpBuilder &builder, Operation *branch, TypeRange results,
                                                        MutableArrayRef<Region> regions) override {
    auto switchOp = dyn_cast<cf::SwitchOp>(branch);
    if (!switchOp)
      return ControlFlowToSCFTransformation::createStructuredBranchRegionOp(builder, branch, results, regions);
    SmallVector<APInt> cases = llvm::to_vector(switchOp.getCaseValues()->getValues<APInt>());
    // The default's region comes first, then those of the cases.
    return writeIfs(builder, branch->getLoc(), switchOp.getFlag(), cases, regions.drop_front(), regions.front(),
                    results);
  }

  FailureOr<Operation *> createUnreachableTerminator(Location loc, OpBuilder &builder, Region &region) override {
    SmallVector<Value> values;
    auto addPoison = [&](Type type) { values.push_back(getUndefValue(loc, builder, type)); };
    if (auto function = dyn_cast<FuncOp>(region.getParentOp())) {
      llvm::for_each(function.getResultTypes(), addPoison);
      return ReturnOp::create(builder, loc, values).getOperation();
    }
    auto map = cast<MapElementwiseOp>(region.getParentOp());
    for (Type block : map.getResultTypes())
      for (unsigned i = 0; i < map.getPack(); ++i)
        addPoison(cast<RankedTensorType>(block).getElementType());
    return MapElementwiseReturnOp::create(builder, loc, values).getOperation();
  }
};

struct MakeInlinable : blockdsl::impl::MakeInlinablePassBase<MakeInlinable> {
  using MakeInlinablePassBase::MakeInlinablePassBase;
  void runOnOperation() override {
    getOperation().walk([](scf::IndexSwitchOp op) { writeIfs(op); });
    LiftToSCF lift;
    IRRewriter rewriter(&getContext());
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (!isa<FuncOp, MapElementwiseOp>(op))
        return WalkResult::advance();
      if (isa<FuncOp>(op))
        op->removeAttr("noinline");
      Region &region = op->getRegion(0);
      if (region.empty() || region.hasOneBlock())
        return WalkResult::advance();
      if (auto function = dyn_cast<FuncOp>(op); calleesOnly && function && function.isPublic())
        return WalkResult::advance();
      // Front ends emit unreachable blocks.
      (void)eraseUnreachableBlocks(rewriter, region);
      DominanceInfo dominance(op);
      if (failed(transformCFGToSCF(region, lift, dominance)) || !region.hasOneBlock()) {
        op->emitOpError("expects branches that scf can say: cf.br, cf.cond_br and cf.switch");
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

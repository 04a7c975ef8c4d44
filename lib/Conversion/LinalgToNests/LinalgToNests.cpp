//===- LinalgToNests.cpp - Conversion of linalg ops to loop nests --------===//

#include "NestBuilder.h"

#include "blockdsl/Analysis/InputVerifier.h"
#include "blockdsl/Conversion/Passes.h"
#include "blockdsl/Dialect/CPU/IR/CPU.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Plan/PlanRemarks.h"
#include "blockdsl/Plan/Planner.h"

namespace blockdsl {
#define GEN_PASS_DEF_CONVERTLINALGTONESTS
#include "blockdsl/Conversion/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

struct ConvertLinalgToNests : impl::ConvertLinalgToNestsBase<ConvertLinalgToNests> {
  using ConvertLinalgToNestsBase::ConvertLinalgToNestsBase;

  void runOnOperation() override {
    if (alias != "disjoint" && alias != "unknown") {
      getOperation().emitError("option 'alias' expects 'disjoint' or 'unknown', got '") << alias << "'";
      return signalPassFailure();
    }
    for (FuncOp function : getOperation().getOps<FuncOp>()) {
      if (failed(verifyEmitterInput(function)))
        return signalPassFailure();
      PointerAnalysis pointers;
      PlanContext context(function, pointers, alias == "disjoint");
      Schedule plan = planKernel(context, function);
      if (getContext().getRemarkEngine())
        emitStorageRemarks(context, plan);
      buildNests(function, plan);
    }
  }
};

} // namespace
} // namespace blockdsl

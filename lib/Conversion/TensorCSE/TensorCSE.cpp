//===- TensorCSE.cpp - CSE of linalg ops with captures --------------------===//
//
// MLIR's CSE with captured values in its hash. Without them it hashes only an op's name, attributes and operands, so
// that a kernel of 3000 gathers with the same index compares each gather with all before it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_TENSORCSE
#include "blockdsl/Conversion/Passes.h.inc"

namespace {

constexpr StringLiteral kCaptures = "captures";

struct TensorCSE : public impl::TensorCSEBase<TensorCSE> {
  void runOnOperation() override {
    Builder b(&getContext());
    llvm::DenseMap<Value, int64_t> numbers;
    getOperation()->walk([&](linalg::GenericOp op) {
      SetVector<Value> captures;
      getUsedValuesDefinedAbove(op->getRegions(), captures);
      SmallVector<int64_t> numbered;
      // Only blocks: CSE may merge captured scalars, while equal blocks were one value before the conversion to linalg.
      for (Value capture : captures)
        if (isa<RankedTensorType>(capture.getType()))
          numbered.push_back(numbers.try_emplace(capture, numbers.size()).first->second);
      if (!numbered.empty())
        op->setDiscardableAttr(kCaptures, b.getDenseI64ArrayAttr(numbered));
    });
    DominanceInfo dominance;
    IRRewriter rewriter(&getContext());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    getOperation()->walk([](linalg::GenericOp op) { op->removeDiscardableAttr(kCaptures); });
  }
};

} // namespace
} // namespace blockdsl

//===- TestKnownBits.cpp - Pass that prints known bits and ranges ----------===//
//
// Emits a remark at each op that has one result, except for constants.
//
//===----------------------------------------------------------------------===//

#include "TestAnalyses.h"

#include "blockdsl/Analysis/KnownBits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace blockdsl {
namespace {

std::string printRange(const APInt &low, const APInt &high, bool isSigned) {
  return llvm::toString(low, 10, isSigned) + " to " + llvm::toString(high, 10, isSigned);
}

struct TestKnownBits : PassWrapper<TestKnownBits, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestKnownBits)
  StringRef getArgument() const final { return "test-known-bits"; }
  StringRef getDescription() const final { return "Print known divisors, ranges and alignments of scalars"; }

  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (op->getNumResults() != 1 || op->hasTrait<mlir::OpTrait::ConstantLike>())
        return;
      SmallVector<std::string> known = describe(op->getResult(0));
      if (known.empty())
        op->emitRemark("nothing is known");
      else
        op->emitRemark("known: (") << llvm::join(known, ", ") << ")";
    });
  }

  static SmallVector<std::string> describe(Value value) {
    SmallVector<std::string> known;
    auto add = [&](StringRef name, int64_t number) {
      if (number != 1)
        known.push_back((name + Twine(number)).str());
    };
    if (isa<LLVM::LLVMPointerType>(value.getType()))
      add("alignment ", knownAlignment(value));
    if (!isa<IntegerType, IndexType>(value.getType()))
      return known;
    add("divisor ", knownDivisor(value));
    ConstantIntRanges range = knownRange(value);
    if (!range.smin().isMinSignedValue() || !range.smax().isMaxSignedValue())
      known.push_back("signed " + printRange(range.smin(), range.smax(), /*isSigned=*/true));
    if (!range.umin().isMinValue() || !range.umax().isMaxValue())
      known.push_back("unsigned " + printRange(range.umin(), range.umax(), /*isSigned=*/false));
    auto sum = value.getDefiningOp<arith::AddIOp>();
    APInt by;
    if (!sum || !matchPattern(sum.getRhs(), m_ConstantInt(&by)))
      return known;
    for (bool isSigned : {true, false})
      if (neverWraps(sum.getLhs(), by.getSExtValue(), by.getSExtValue(), isSigned))
        known.push_back(isSigned ? "nsw" : "nuw");
    return known;
  }
};

} // namespace

void registerTestKnownBits() { PassRegistration<TestKnownBits>(); }

} // namespace blockdsl

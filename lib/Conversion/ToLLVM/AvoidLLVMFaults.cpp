//===- AvoidLLVMFaults.cpp - Workarounds for miscompilations of LLVM 22 ----===//
//
// Eight faults of LLVM's, each with a few lines of IR that show it in test/python/compiler/llvm_faults. They are
// avoided here, on the finished LLVM dialect, in a way that no pass of LLVM's undoes: innocent code must not turn into
// the pattern while LLVM simplifies it. When a test there says that LLVM is right, the function here of that name can
// go; boundedTwice() is in a file of its own.
//
//===----------------------------------------------------------------------===//

#include "BoundedTwice.h"
#include "LowZeros.h"

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_AVOIDLLVMFAULTS
#include "blockdsl/Conversion/Passes.h.inc"

static constexpr StringLiteral firstAttribute = "blockdsl.first_program";

/// Buffers written from the end to the beginning. SROA merges the pieces at the store of the last one, which may come
/// before the others: the result is used before it is computed, and the process ends
/// (https://github.com/llvm/llvm-project/pull/189680). It leaves buffers alone that anything but loads and stores uses.
static void writtenBackwards(LLVM::LLVMFuncOp function) {
  function.walk([](LLVM::AllocaOp buffer) {
    OpBuilder b(buffer->getContext());
    b.setInsertionPointAfter(buffer);
    LLVM::LifetimeStartOp::create(b, buffer.getLoc(), buffer);
  });
}

/// A value that is false, which LLVM cannot know: the first program's number is never negative.
static Value hiddenFalse(LLVM::LLVMFuncOp function, Value first) {
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  b.setInsertionPointToStart(&function.front());
  Value zero = LLVM::ConstantOp::create(b, first.getType(), b.getI64IntegerAttr(0));
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt, first, zero);
}

/// Narrowed integers under a mask with one true lane. X86 with AVX-512 stores the wide value of that lane
/// (https://github.com/llvm/llvm-project/pull/179853). It has to see that the mask is a constant, which any mask may
/// turn out to be once loops are unrolled; a bit that is not known keeps it from becoming one.
static void narrowedUnderOneLane(LLVM::LLVMFuncOp function, Value first) {
  llvm::SmallDenseMap<Type, Value> hidden;
  Value condition;
  function.walk([&](LLVM::MaskedStoreOp store) {
    auto type = cast<VectorType>(store.getValue().getType());
    if (!isa<IntegerType>(type.getElementType()) || type.getElementTypeBitWidth() >= 64)
      return;
    auto maskType = cast<VectorType>(store.getMask().getType());
    Value &lanes = hidden[maskType];
    if (!lanes) {
      if (!condition)
        condition = hiddenFalse(function, first);
      lanes = spread(condition, maskType);
    }
    OpBuilder b(store);
    store.getMaskMutable().assign(LLVM::OrOp::create(b, store.getLoc(), store.getMask(), lanes));
  });
}

/// Does `op` leave the upper half of each lane of a product of integers that are not sign-extended?
static bool isUpperHalfOfProduct(Operation *op) {
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  auto product = op->getOperand(0).getDefiningOp<LLVM::MulOp>();
  APInt by;
  if (!type || !product || !matchPattern(op->getOperand(1), m_ConstantInt(&by)))
    return false;
  if (llvm::any_of(product->getOperands(), [](Value factor) { return factor.getDefiningOp<LLVM::SExtOp>(); }))
    return false;
  unsigned half = type.getElementTypeBitWidth() / 2;
  return half >= 8 && (isa<LLVM::UDivOp>(op) ? by.isPowerOf2() && by.logBase2() == half : by == half);
}

/// The upper half of a product by 1. The instruction selection makes a shift by all bits of it, which is anything, and
/// drops stores of anything. The lanes that are 1 may show when it cuts a vector in pieces, not before. So the halves
/// are picked, which it does not recognize.
static void upperHalfOfProduct(LLVM::LLVMFuncOp function) {
  SmallVector<Operation *> halves;
  function.walk([&](Operation *op) {
    if (isa<LLVM::LShrOp, LLVM::AShrOp, LLVM::UDivOp>(op) && isUpperHalfOfProduct(op))
      halves.push_back(op);
  });
  for (Operation *op : halves) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    auto type = cast<VectorType>(op->getResult(0).getType());
    int64_t lanes = type.getNumElements();
    Type narrow = b.getIntegerType(type.getElementTypeBitWidth() / 2);
    Value pieces = LLVM::BitcastOp::create(b, VectorType::get({2 * lanes}, narrow), op->getOperand(0));
    SmallVector<int32_t> upper;
    for (int64_t lane = 0; lane != lanes; ++lane)
      upper.push_back(2 * lane + 1);
    Value half = LLVM::ShuffleVectorOp::create(b, pieces, pieces, upper);
    Value wide = isa<LLVM::AShrOp>(op) ? LLVM::SExtOp::create(b, type, half).getResult()
                                       : LLVM::ZExtOp::create(b, type, half).getResult();
    op->getResult(0).replaceAllUsesWith(wide);
    op->erase();
  }
}

/// Of which vector an addition adds up the halves, if that is what it does.
static Value halvesAddedBy(LLVM::AddOp sum) {
  auto lower = sum.getLhs().getDefiningOp<LLVM::ShuffleVectorOp>();
  auto upper = sum.getRhs().getDefiningOp<LLVM::ShuffleVectorOp>();
  if (!lower || !upper || lower.getV1() != upper.getV1())
    return nullptr;
  auto type = cast<VectorType>(lower.getV1().getType());
  auto isHalf = [&](LLVM::ShuffleVectorOp half, int64_t first) {
    ArrayRef<int32_t> mask = half.getMask();
    return 2 * static_cast<int64_t>(mask.size()) == type.getNumElements() &&
           llvm::all_of(llvm::enumerate(mask),
                        [&](auto lane) { return lane.value() == first + static_cast<int64_t>(lane.index()); });
  };
  return isHalf(lower, 0) && isHalf(upper, type.getNumElements() / 2) ? lower.getV1() : Value();
}

/// Sums of products, or of distances, of bytes, by halves. X86's instruction selection makes `vpdpbusd` or `psadbw` of
/// the widest vector, and adds up as many of its lanes as the last vector of the sum has, not the first: it loses the
/// others. Assembly of no instruction, of which it does not know that it gives what it takes, keeps it from seeing a
/// sum and its summands together.
static void addedUpByHalves(LLVM::LLVMFuncOp function) {
  function.walk([](LLVM::AddOp sum) {
    Value whole = halvesAddedBy(sum);
    auto type = whole ? cast<VectorType>(whole.getType()) : VectorType();
    if (!type || type.getElementTypeBitWidth() < 32 || type.getNumElements() * type.getElementTypeBitWidth() != 128)
      return;
    OpBuilder b(sum);
    b.setInsertionPointAfterValue(whole);
    Value hidden = hide(b, whole, "=x,0");
    for (Value half : {sum.getLhs(), sum.getRhs()})
      half.getDefiningOp()->setOperand(0, hidden);
  });
}

/// Does an address of the function count, somewhere, in fewer bits than a number of the language has? Remainders and
/// shifts become such a number on LLVM's way.
static bool countsNarrowly(LLVM::LLVMFuncOp function) {
  llvm::SetVector<Value> parts;
  function.walk([&](LLVM::GEPOp address) { parts.insert_range(address.getDynamicIndices()); });
  for (unsigned next = 0; next < parts.size(); ++next) {
    Operation *op = parts[next].getDefiningOp();
    if (!op || isa<VectorType>(parts[next].getType()))
      continue;
    if (isa<LLVM::AndOp, LLVM::URemOp, LLVM::SRemOp, LLVM::LShrOp, LLVM::AShrOp>(op))
      return true;
    if (isa<LLVM::TruncOp>(op) && parts[next].getType().getIntOrFloatBitWidth() < 32)
      return true;
    if (isa<LLVM::AddOp, LLVM::SubOp, LLVM::MulOp, LLVM::ShlOp, LLVM::OrOp, LLVM::XOrOp, LLVM::SExtOp, LLVM::ZExtOp,
            LLVM::TruncOp>(op))
      parts.insert_range(op->getOperands());
  }
  return false;
}

/// Loops that count in two widths. That one count does not wrap, LLVM's vectorizer takes for a proof that a narrower
/// one does not: it leaves out the test before the loop, and goes on after the last bin where the first is meant
/// (`SCEVWrapPredicate::implies`). Such a loop is not for it.
static void countedInTwoWidths(LLVM::LLVMFuncOp function) {
  if (function.isExternal() || !countsNarrowly(function))
    return;
  MLIRContext *context = function.getContext();
  auto vectorize = LLVM::LoopVectorizeAttr::get(context, BoolAttr::get(context, true), {}, {}, {}, {}, {}, {});
  DominanceInfo dominance(function);
  auto annotate = [&](auto branch) {
    if (llvm::none_of(branch->getSuccessors(), [&](Block *to) { return dominance.dominates(to, branch->getBlock()); }))
      return;
    auto was = branch.getLoopAnnotationAttr();
    auto unroll = was ? was.getUnroll() : LLVM::LoopUnrollAttr();
    branch.setLoopAnnotationAttr(
        LLVM::LoopAnnotationAttr::get(context, {}, vectorize, {}, unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}));
  };
  function.walk([&](LLVM::BrOp branch) { annotate(branch); });
  function.walk([&](LLVM::CondBrOp branch) { annotate(branch); });
}

/// Indices of which the shift that makes them and the scale of their address leave no bit. X86's instruction selection
/// multiplies the two in 64 bits to see whether that is a scale, and takes the 0 that is left for one. An index that is
/// joined with zeros is no shift.
static void shiftedOutOfAddress(LLVM::LLVMFuncOp function, HiddenZeros &hidden) {
  constexpr unsigned bits = 64, largestScale = 3;
  LowZeros zeros(function);
  function.walk([&](LLVM::GEPOp address) {
    for (OpOperand &index : address.getDynamicIndicesMutable())
      if (!matchPattern(index.get(), m_Constant()) && zeros.lookup(index.get()) + largestScale >= bits)
        hidden.join(index);
  });
}

/// Do 16 bits hold an integer, whatever LLVM finds out about it?
static bool isShort(Value integer) {
  constexpr unsigned bits = 16;
  if (getElementTypeOrSelf(integer).getIntOrFloatBitWidth() <= bits)
    return true;
  Operation *op = integer.getDefiningOp();
  APInt mask;
  if (isa_and_nonnull<LLVM::AndOp>(op))
    return matchPattern(op->getOperand(1), m_ConstantInt(&mask)) && mask.isIntN(bits);
  return isa_and_nonnull<LLVM::SExtOp, LLVM::ZExtOp>(op) && isShort(op->getOperand(0));
}

/// Integers beyond f16. LLVM takes a conversion for exact where few bits lie between the highest and the lowest that
/// may be set, however large the number is (`isKnownExactCastIntToFP`), and so leaves out f16 between an integer and a
/// wider float: 2^31 stays 2^31 then, and is not infinite. It learns the bits from shifts and products, from what a
/// branch has asked, from what was stored where it is read; of integers that are joined with zeros any may be set.
static void beyondHalf(LLVM::LLVMFuncOp function, HiddenZeros &hidden) {
  function.walk([&](Operation *op) {
    if (isa<LLVM::SIToFPOp, LLVM::UIToFPOp>(op) && !isShort(op->getOperand(0)) &&
        !matchPattern(op->getOperand(0), m_Constant()))
      hidden.join(op->getOpOperand(0));
  });
}

static bool narrowsToHalf(ModuleOp module) {
  return module
      .walk([](LLVM::FPTruncOp op) {
        return getElementTypeOrSelf(op.getType()).isF16() ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {

struct AvoidLLVMFaultsPass : impl::AvoidLLVMFaultsBase<AvoidLLVMFaultsPass> {
  using AvoidLLVMFaultsBase::AvoidLLVMFaultsBase;

  void runOnOperation() override {
    bool isX86 = StringRef(features).contains("+sse2"), narrowsInStores = StringRef(features).contains("+avx512");
    bool hasHalf = narrowsToHalf(getOperation());
    for (auto function : getOperation().getOps<LLVM::LLVMFuncOp>()) {
      writtenBackwards(function);
      upperHalfOfProduct(function);
      countedInTwoWidths(function);
      if (isX86)
        addedUpByHalves(function);
      if (function.isExternal())
        continue;
      HiddenZeros hidden(function);
      boundedTwice(function, hidden);
      if (hasHalf)
        beyondHalf(function, hidden);
      if (isX86)
        shiftedOutOfAddress(function, hidden);
      for (BlockArgument argument : function.getArguments())
        if (function.removeArgAttr(argument.getArgNumber(), firstAttribute) && narrowsInStores)
          narrowedUnderOneLane(function, argument);
    }
  }
};

} // namespace

} // namespace blockdsl

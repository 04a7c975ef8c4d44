//===- AvoidLLVMFaults.cpp - Workarounds for miscompilations of LLVM 22 ----===//
//
// Workarounds for nine bugs of LLVM, each with a reproducer in test/python/compiler/llvm_faults. They rewrite the
// final LLVM dialect so that no simplification of LLVM can produce the miscompiled pattern, also from code that does
// not have it yet. When a test there reports that LLVM is fixed, the function of its name can be removed here.
// boundedTwice() is in a separate file.
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

/// Buffers written from the end to the beginning. SROA merges the pieces at the store of the last piece, which may
/// precede the other stores: the result is used before it is defined, and LLVM aborts
/// (https://github.com/llvm/llvm-project/pull/189680). SROA ignores buffers with uses other than loads and stores.
static void writtenBackwards(LLVM::LLVMFuncOp function) {
  function.walk([](LLVM::AllocaOp buffer) {
    OpBuilder b(buffer->getContext());
    b.setInsertionPointAfter(buffer);
    LLVM::LifetimeStartOp::create(b, buffer.getLoc(), buffer);
  });
}

/// Returns a false value that LLVM cannot fold: the number of the first program is never negative.
static Value hiddenFalse(LLVM::LLVMFuncOp function, Value first) {
  ImplicitLocOpBuilder b(function.getLoc(), function.getContext());
  b.setInsertionPointToStart(&function.front());
  Value zero = LLVM::ConstantOp::create(b, first.getType(), b.getI64IntegerAttr(0));
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::slt, first, zero);
}

namespace {

/// ORs masks with false lanes that LLVM cannot fold.
class OpaqueLanes {
public:
  OpaqueLanes(LLVM::LLVMFuncOp function, Value first) : function(function), first(first) {}

  void join(Operation *access, OpOperand &mask) {
    Value &lanes = known[mask.get().getType()];
    if (!lanes) {
      if (!condition)
        condition = hiddenFalse(function, first);
      lanes = spread(condition, cast<VectorType>(mask.get().getType()));
    }
    OpBuilder b(access);
    mask.set(LLVM::OrOp::create(b, access->getLoc(), mask.get(), lanes));
  }

private:
  LLVM::LLVMFuncOp function;
  Value first;
  Value condition;
  llvm::SmallDenseMap<Type, Value> known;
};

} // namespace

/// Stores of truncated integers under a constant mask with one true lane. For AVX-512 LLVM stores the wide value of
/// that lane (https://github.com/llvm/llvm-project/pull/179853). Any mask may become a constant when loops are
/// unrolled; an opaque bit prevents this.
static void narrowedUnderOneLane(LLVM::LLVMFuncOp function, OpaqueLanes &opaque) {
  function.walk([&](LLVM::MaskedStoreOp store) {
    auto type = cast<VectorType>(store.getValue().getType());
    if (isa<IntegerType>(type.getElementType()) && type.getElementTypeBitWidth() < 64)
      opaque.join(store, store.getMaskMutable());
  });
}

/// Loads of more than one register of AVX under a mask whose lanes in one register are all false, which shows when the
/// vector is split. LLVM loads that register without a mask. An opaque bit keeps the lanes unknown.
static void registerWithoutLanes(LLVM::LLVMFuncOp function, OpaqueLanes &opaque) {
  constexpr uint64_t registerBits = 256;
  function.walk([&](LLVM::MaskedLoadOp load) {
    auto type = cast<VectorType>(load.getResult().getType());
    if (DataLayout::closest(load).getTypeSizeInBits(type) > registerBits && !matchPattern(load.getMask(), m_Constant()))
      opaque.join(load, load.getMaskMutable());
  });
}

/// Returns true if `op` computes the upper half of each lane of a product of integers that are not sign-extended.
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

/// The upper half of a product by 1. Instruction selection makes it a shift by the whole width, which is poison, and
/// drops stores of poison. The factor 1 may only become visible when a vector is split. So the halves are extracted by
/// a shuffle, which instruction selection does not recognize.
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

/// Returns the vector whose halves an addition adds; null for other additions.
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

/// Sums of products or distances of bytes, reduced by halves. X86's instruction selection uses `vpdpbusd` or `psadbw`
/// on the widest vector, but adds only as many of its lanes as the last vector of the reduction has. An empty inline
/// assembly, whose result is opaque, keeps it from matching the whole reduction.
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

/// Returns true if an address of the function is computed from integers of fewer than 32 bits. LLVM may narrow masks,
/// remainders and shifts to these.
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

/// Loops with counters of two widths. If the wider counter does not wrap, LLVM's vectorizer concludes that the narrower
/// one does not either (`SCEVWrapPredicate::implies`). It omits the test before the loop, so that addresses go beyond
/// the end where the counter wraps. Vectorization of these loops is disabled.
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

/// Indices whose shift and scale in an address leave no bit. X86's instruction selection multiplies shift and scale in
/// 64 bits to find a combined scale, and accepts the overflowed result 0 as one. ORing the index with hidden zeros
/// hides the shift.
static void shiftedOutOfAddress(LLVM::LLVMFuncOp function, HiddenZeros &hidden) {
  constexpr unsigned bits = 64, largestScale = 3;
  LowZeros zeros(function);
  function.walk([&](LLVM::GEPOp address) {
    for (OpOperand &index : address.getDynamicIndicesMutable())
      if (!matchPattern(index.get(), m_Constant()) && zeros.lookup(index.get()) + largestScale >= bits)
        hidden.join(index);
  });
}

/// Returns true if an integer fits 16 bits by its type, a mask or an extension.
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

/// Integers beyond the range of f16. LLVM considers a conversion exact if the integer has few significant bits, without
/// regard to its magnitude (`isKnownExactCastIntToFP`), and removes f16 between an integer and a wider float: 2^31
/// stays 2^31 instead of becoming infinite. LLVM derives the known bits from shifts, products, branches and stored
/// values. ORing the integer with hidden zeros makes all bits unknown.
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
    StringRef cpu = features;
    bool isX86 = cpu.contains("+sse2"), hasAVX512 = cpu.contains("+avx512"), hasAVX = cpu.contains("+avx");
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
        if (function.removeArgAttr(argument.getArgNumber(), firstAttribute)) {
          OpaqueLanes opaque(function, argument);
          if (hasAVX512)
            narrowedUnderOneLane(function, opaque);
          else if (hasAVX)
            registerWithoutLanes(function, opaque);
        }
    }
  }
};

} // namespace

} // namespace blockdsl

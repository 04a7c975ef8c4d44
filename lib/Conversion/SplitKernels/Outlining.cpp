//===- Outlining.cpp - Outlining of parts of kernels ------------------------===//

#include "Outlining.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace blockdsl {

/// The approximate number of instructions up to which LLVM fully unrolls a loop. Program-invariant values of an
/// unrolled loop are hoisted out of the loop over programs and take stack.
static constexpr int64_t kMostUnrolled = 512;

bool isConstant(Operation *op) { return op->hasTrait<OpTrait::ConstantLike>() || isa<LLVM::AddressOfOp>(op); }

int64_t bitsOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = getElementTypeOrSelf(type);
  return (element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64) * (vector ? vector.getNumElements() : 1);
}

/// Returns the length of an op, with one iteration of a loop.
static int64_t lengthOfOnce(Operation *op) {
  if (isConstant(op) || isa<LLVM::AllocaOp>(op))
    return 0;
  int64_t bits = 1;
  for (Value value : op->getOperands())
    bits = std::max(bits, bitsOf(value.getType()));
  for (Type type : op->getResultTypes())
    bits = std::max(bits, bitsOf(type));
  int64_t length = llvm::divideCeil(bits, 512);
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      length += lengthOf(&inner);
  return length;
}

/// Returns the length of all iterations of a loop, if they are few enough to be unrolled.
static std::optional<int64_t> unrolledLength(scf::ForOp loop, int64_t length) {
  std::optional<APInt> iterations = loop.getStaticTripCount();
  if (!iterations || iterations->ugt(kMostUnrolled))
    return std::nullopt;
  int64_t unrolled = iterations->getZExtValue() * length;
  return unrolled <= kMostUnrolled ? std::optional(unrolled) : std::nullopt;
}

int64_t lengthOf(Operation *op) {
  int64_t length = lengthOfOnce(op);
  auto loop = dyn_cast<scf::ForOp>(op);
  return loop ? unrolledLength(loop, length).value_or(length) : length;
}

bool isUnrolled(scf::ForOp loop) {
  auto hints = loop->getAttrOfType<LLVM::LoopAnnotationAttr>("llvm.loop_annotation");
  bool isDisabled =
      hints && hints.getUnroll() && hints.getUnroll().getDisable() && hints.getUnroll().getDisable().getValue();
  return !isDisabled && unrolledLength(loop, lengthOfOnce(loop));
}

BlockArgument firstProgramOf(func::FuncOp function) {
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), kFirstProgram))
      return argument;
  return {};
}

func::FuncOp createOutlined(func::FuncOp caller, Location loc, const Twine &suffix) {
  OpBuilder b(caller);
  auto function = func::FuncOp::create(b, loc, (caller.getName() + "." + suffix).str(), b.getFunctionType({}, {}));
  function.setPrivate();
  function->setAttr("passthrough", b.getStrArrayAttr({"noinline"}));
  function->setAttr("llvm.linkage", LLVM::LinkageAttr::get(b.getContext(), LLVM::Linkage::Internal));
  return function;
}

} // namespace blockdsl

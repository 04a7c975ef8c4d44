//===- OutlineRepeatedLoops.cpp - Outlining of repeated loops ---------------===//
//
// An unrolled sorting network repeats one loop on other buffers and with other constants, and LLVM compiles each copy.
// If a loop is repeated more than a few times, it becomes a function, and each copy a call.
//
//===----------------------------------------------------------------------===//

#include "Outlining.h"

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_OUTLINEREPEATEDLOOPS
#include "blockdsl/Conversion/Passes.h.inc"

/// Up to this number of equal loops, outlining saves little compile time.
static constexpr size_t kFew = 2;
/// Longer loops are left to `split-kernels`, which does not split outlined functions.
static constexpr int64_t kLongest = 512;

static bool isOutside(Value value, scf::ForOp loop) {
  return !loop->isAncestor(value.getParentRegion()->getParentOp());
}

/// Returns the operands in a loop that are defined outside of it, beginning with the operands of the loop itself.
static SmallVector<OpOperand *> captureOperands(scf::ForOp loop) {
  SmallVector<OpOperand *> captures;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isOutside(operand.get(), loop))
        captures.push_back(&operand);
  });
  return captures;
}

/// Returns true for loops that may be outlined. Loops that LLVM unrolls are optimized with the code around them, and
/// polls return from the function that they are in.
static bool isCandidate(scf::ForOp loop) {
  if (loop.getNumResults() != 0 || isUnrolled(loop) || lengthOf(loop) > kLongest)
    return false;
  return !loop.walk([](CallOpInterface) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Returns a hash that is equal for loops that only differ in values from outside.
static llvm::hash_code hashOf(scf::ForOp loop) {
  llvm::hash_code hash = 0;
  loop->walk<WalkOrder::PreOrder>([&](Operation *op) {
    hash = llvm::hash_combine(hash, op->getName(), op->getRawDictionaryAttrs(), op->hashProperties());
  });
  return hash;
}

/// Returns true for bounds and divisors, whose constants LLVM optimizes, for example divisions to multiplications.
static bool isKeptConstant(OpOperand *operand, scf::ForOp loop) {
  Operation *op = operand->getOwner();
  return op == loop || (operand->getOperandNumber() == 1 &&
                        isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::DivFOp>(op));
}

/// Returns true for loops over the same range that only differ in values from outside.
static bool isRepeated(scf::ForOp loop, scf::ForOp other) {
  llvm::DenseMap<Value, Value> inside;
  auto check = [&](Value value, Value otherValue) {
    if (isOutside(value, loop))
      return success(isOutside(otherValue, other) && value.getType() == otherValue.getType());
    return success(inside.lookup(value) == otherValue);
  };
  auto mark = [&](Value value, Value otherValue) { inside[value] = otherValue; };
  if (!OperationEquivalence::isEquivalentTo(loop, other, check, mark, OperationEquivalence::IgnoreLocations))
    return false;
  return llvm::all_of(llvm::zip(captureOperands(loop), captureOperands(other)), [&](auto operands) {
    auto [operand, otherOperand] = operands;
    return operand->get() == otherOperand->get() || !isKeptConstant(operand, loop);
  });
}

/// Returns the groups of repeated loops in a block.
static SmallVector<SmallVector<scf::ForOp>> findRepeated(Block &block) {
  SmallVector<SmallVector<scf::ForOp>> groups;
  llvm::DenseMap<size_t, SmallVector<size_t>> byHash;
  for (auto loop : block.getOps<scf::ForOp>()) {
    if (!isCandidate(loop))
      continue;
    SmallVector<size_t> &likely = byHash[hashOf(loop)];
    auto same = llvm::find_if(likely, [&](size_t group) { return isRepeated(groups[group].front(), loop); });
    if (same == likely.end()) {
      likely.push_back(groups.size());
      groups.push_back({loop});
    } else {
      groups[*same].push_back(loop);
    }
  }
  llvm::erase_if(groups, [](ArrayRef<scf::ForOp> group) { return group.size() <= kFew; });
  return groups;
}

/// Moves the first loop to a function and replaces each loop by a call.
static void outline(MutableArrayRef<scf::ForOp> loops, func::FuncOp caller, unsigned number) {
  Location loc = loops.front().getLoc();
  // Outlined loops never call each other, so stack_frames.py counts the stack of one of them.
  func::FuncOp function = createOutlined(caller, loc, "loops." + Twine(number));
  Block *entry = function.addEntryBlock();
  OpBuilder inside = OpBuilder::atBlockEnd(entry);
  auto end = func::ReturnOp::create(inside, loc);
  inside.setInsertionPointToStart(entry);

  SmallVector<SmallVector<OpOperand *>> captures = llvm::map_to_vector(loops, captureOperands);
  llvm::MapVector<SmallVector<Value>, Value> parameters; // from the arguments of all calls to the function's argument
  auto parameterFor = [&](const SmallVector<Value> &arguments) -> Value & {
    Value &parameter = parameters[arguments];
    if (!parameter)
      parameter = entry->addArgument(arguments.front().getType(), loc);
    return parameter;
  };
  // Needed by `avoid-llvm-faults`, which creates an opaque value in each function.
  BlockArgument first = firstProgramOf(caller);
  if (first)
    parameterFor(SmallVector<Value>(loops.size(), first));
  for (size_t index = 0; index < captures.front().size(); ++index) {
    auto arguments = llvm::map_to_vector(captures, [&](ArrayRef<OpOperand *> of) { return of[index]->get(); });
    OpOperand *capture = captures.front()[index];
    Operation *op = arguments.front().getDefiningOp();
    if (op && isConstant(op) && llvm::all_equal(arguments))
      capture->set(inside.clone(*op)->getResult(0));
    else
      capture->set(parameterFor(arguments));
  }
  function.setFunctionType(inside.getFunctionType(entry->getArgumentTypes(), {}));
  if (first)
    function.setArgAttr(0, kFirstProgram, inside.getUnitAttr());

  for (size_t index = 0; index < loops.size(); ++index) {
    OpBuilder b(loops[index]);
    auto arguments = llvm::map_to_vector(parameters, [&](const auto &each) { return each.first[index]; });
    func::CallOp::create(b, loops[index].getLoc(), function, arguments);
  }
  loops.front()->moveBefore(end);
  for (scf::ForOp loop : loops.drop_front())
    loop.erase();
}

namespace {

struct OutlineRepeatedLoops : impl::OutlineRepeatedLoopsBase<OutlineRepeatedLoops> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> functions(getOperation().getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      unsigned count = 0;
      function.walk<WalkOrder::PreOrder>([&](Block *block) {
        for (SmallVector<scf::ForOp> &group : findRepeated(*block))
          outline(group, function, count++);
      });
    }
  }
};

} // namespace
} // namespace blockdsl

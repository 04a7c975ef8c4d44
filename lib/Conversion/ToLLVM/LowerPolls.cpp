//===- LowerPolls.cpp - Lowering of polls for interruption ------------------===//
//
// llvm.call @blockdsl_poll(context)         -> if (*context->poll != 0 && blockdsl_should_stop(context)) return;
// llvm.call @blockdsl_poll_waiting(context) -> if (blockdsl_wait(context)) return;
//
// After the lowering of structured loops, which have no early exits. A poll returns from the function rather than from
// the loop, because the code after a loop relies on the loop's condition.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Conversion/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace blockdsl {

#define GEN_PASS_DEF_LOWERPOLLS
#include "blockdsl/Conversion/Passes.h.inc"

static constexpr StringLiteral pollName = "blockdsl_poll", waitName = "blockdsl_poll_waiting";

/// Declares a function of the runtime that returns whether to stop.
static LLVM::LLVMFuncOp declareQuestion(LLVM::LLVMFuncOp poll, StringRef name) {
  OpBuilder b(poll);
  auto type = LLVM::LLVMFunctionType::get(b.getI32Type(), poll.getArgumentTypes());
  return LLVM::LLVMFuncOp::create(b, poll.getLoc(), name, type);
}

/// Declares `blockdsl_should_stop`, which only accesses the launch context and memory that kernels cannot access.
static LLVM::LLVMFuncOp declareShouldStop(LLVM::LLVMFuncOp poll) {
  OpBuilder b(poll);
  LLVM::LLVMFuncOp function = declareQuestion(poll, "blockdsl_should_stop");
  using LLVM::ModRefInfo;
  function.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
      b.getContext(), {/*other=*/ModRefInfo::NoModRef, /*argMem=*/ModRefInfo::ModRef,
                       /*inaccessibleMem=*/ModRefInfo::ModRef, /*errnoMem=*/ModRefInfo::NoModRef,
                       /*targetMem0=*/ModRefInfo::NoModRef, /*targetMem1=*/ModRefInfo::NoModRef}));
  function.setPassthroughAttr(b.getStrArrayAttr({"cold", "nounwind"}));
  return function;
}

/// Creates a block that returns from the function.
static Block *createExit(LLVM::LLVMFuncOp function, Location location) {
  Block *exit = &function.getBody().emplaceBlock();
  OpBuilder b = OpBuilder::atBlockEnd(exit);
  LLVM::ReturnOp::create(b, location, ValueRange());
  return exit;
}

constexpr int32_t kOften = 1 << 20;

/// Emits a call of `question` at the end of `block`, and branches to `exit` if the program has to stop, else to `rest`.
static void branchOnAnswer(LLVM::CallOp poll, LLVM::LLVMFuncOp question, Block *block, Block *rest, Block *exit) {
  ImplicitLocOpBuilder b(poll.getLoc(), block, block->end());
  Value zero = LLVM::ConstantOp::create(b, b.getI32Type(), b.getI32IntegerAttr(0));
  Value answer = LLVM::CallOp::create(b, question, poll.getArgOperands()).getResult();
  Value stops = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, answer, zero);
  LLVM::CondBrOp::create(b, stops, exit, ValueRange(), rest, ValueRange(), std::pair<uint32_t, uint32_t>(1, kOften));
}

/// Lowers a poll to a load of the poll word, and a call of `question` if the word is set.
static void lowerPoll(LLVM::CallOp poll, LLVM::LLVMFuncOp question, Block *exit) {
  Block *head = poll->getBlock();
  Block *rest = head->splitBlock(poll);
  auto *asking = new Block;
  rest->getParent()->getBlocks().insert(Region::iterator(rest), asking);
  ImplicitLocOpBuilder b(poll.getLoc(), head, head->end());
  Type i32 = b.getI32Type();
  Value context = poll.getArgOperands().front();
  Value zero = LLVM::ConstantOp::create(b, i32, b.getI32IntegerAttr(0));
  Value address = LLVM::LoadOp::create(b, context.getType(), context, /*alignment=*/8, /*isVolatile=*/false,
                                       /*isNonTemporal=*/false, /*isInvariant=*/true);
  // Volatile, so that it is loaded in each iteration; an atomic load would keep other accesses from being moved.
  Value word = LLVM::LoadOp::create(b, i32, address, /*alignment=*/4, /*isVolatile=*/true);
  Value isAsked = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, word, zero);
  LLVM::CondBrOp::create(b, isAsked, asking, ValueRange(), rest, ValueRange(),
                         std::pair<uint32_t, uint32_t>(1, kOften));
  branchOnAnswer(poll, question, asking, rest, exit);
  poll.erase();
}

static void lowerWait(LLVM::CallOp poll, LLVM::LLVMFuncOp question, Block *exit) {
  Block *head = poll->getBlock();
  branchOnAnswer(poll, question, head, head->splitBlock(poll), exit);
  poll.erase();
}

namespace {

struct LowerPollsPass : impl::LowerPollsBase<LowerPollsPass> {
  void runOnOperation() override {
    lowerAll(pollName, declareShouldStop, lowerPoll);
    lowerAll(waitName, [](LLVM::LLVMFuncOp poll) { return declareQuestion(poll, "blockdsl_wait"); }, lowerWait);
  }

  void lowerAll(StringRef name, function_ref<LLVM::LLVMFuncOp(LLVM::LLVMFuncOp)> declareQuestion,
                function_ref<void(LLVM::CallOp, LLVM::LLVMFuncOp, Block *)> lower) {
    ModuleOp module = getOperation();
    auto declared = module.lookupSymbol<LLVM::LLVMFuncOp>(name);
    if (!declared)
      return;
    LLVM::LLVMFuncOp question = declareQuestion(declared);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      SmallVector<LLVM::CallOp> polls;
      function.walk([&](LLVM::CallOp call) {
        if (call.getCallee() == name)
          polls.push_back(call);
      });
      Block *exit = polls.empty() ? nullptr : createExit(function, polls.front().getLoc());
      for (LLVM::CallOp poll : polls)
        lower(poll, question, exit);
    }
    declared.erase();
  }
};

} // namespace

} // namespace blockdsl

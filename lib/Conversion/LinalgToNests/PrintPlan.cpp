//===- PrintPlan.cpp - Pass that prints the plan of each kernel --------------===//

#include "blockdsl/Analysis/InputVerifier.h"
#include "blockdsl/Conversion/Passes.h"
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Plan/MatmulPlan.h"
#include "blockdsl/Plan/Planner.h"
#include "mlir/IR/AsmState.h"
#include "llvm/Support/Path.h"

namespace blockdsl {
#define GEN_PASS_DEF_PRINTPLAN
#include "blockdsl/Conversion/Passes.h.inc"
} // namespace blockdsl

using namespace mlir;

namespace blockdsl {
namespace {

class PlanPrinter {
public:
  PlanPrinter(PlanContext &context, FuncOp function, raw_ostream &os)
      : context(context), function(function), state(function), os(os) {}

  void print(const Schedule &plan) {
    os << "plan of @" << function.getName() << "\n";
    printSchedule(plan);
  }

private:
  void printSchedule(const Schedule &schedule);
  void printUnit(const FusionGroup &unit);
  void printNest(const FusionGroup &unit);
  void printConfig(const FusionGroup &unit);
  void printRoot(const FusionRoot &root);
  void printDestination(Value block, Value target);
  void printMatmul(const FusionGroup &unit);
  void printOperand(StringRef side, const MatmulOperand &operand);
  void printRegion(const FusionGroup &unit);
  void printOp(Operation *op);
  void printPlace(Operation *op);
  raw_ostream &line() { return os.indent(indent); }
  void printName(Value value) { value.printAsOperand(os, state); }

  PlanContext &context;
  FuncOp function;
  AsmState state;
  raw_ostream &os;
  unsigned indent = 2;
};

void PlanPrinter::printPlace(Operation *op) {
  if (auto at = op->getLoc()->findInstanceOf<FileLineColLoc>())
    os << " at " << llvm::sys::path::filename(at.getFilename().getValue()) << ":" << at.getLine();
}

void PlanPrinter::printOp(Operation *op) {
  for (Value result : op->getResults()) {
    printName(result);
    os << (result == op->getResults().back() ? " = " : ", ");
  }
  os << op->getName();
}

void PlanPrinter::printDestination(Value block, Value target) {
  if (target && target != block) {
    os << " to ";
    printName(target);
  }
}

void PlanPrinter::printRoot(const FusionRoot &root) {
  if (root.kind == FusionRoot::Kind::Write) {
    os << "keep ";
    printName(root.block);
    return printDestination(root.block, root.target);
  }
  if (root.kind == FusionRoot::Kind::Reduce) {
    printOp(root.op);
    return printPlace(root.op);
  }
  bool isFirst = true;
  root.op->walk([&](StoreOp store) {
    auto argument = dyn_cast<BlockArgument>(store.getPtr());
    Value pointers = argument ? getBodyOperand(cast<linalg::LinalgOp>(root.op), argument) : Value();
    os << (isFirst ? "store " : ", ");
    isFirst = false;
    if (Value base = pointers ? context.pointers.getBase(pointers) : Value())
      printName(base);
    else
      os << "anywhere";
  });
  if (isFirst)
    os << "effects";
  printPlace(root.op);
}

void PlanPrinter::printConfig(const FusionGroup &unit) {
  const NestConfig &config = unit.config;
  os << " order [";
  llvm::interleaveComma(config.order, os);
  os << "]";
  if (config.laneDim == -1)
    os << " scalar";
  else
    os << " vector " << config.laneDim << " lanes " << config.machineLanes;
  if (config.lanes != config.machineLanes)
    os << " interleave " << config.lanes / config.machineLanes;
  if (config.transposed.dim != -1)
    os << " transpose " << config.transposed.dim << " square " << config.transposed.square << " rows "
       << config.transposed.rows;
}

void PlanPrinter::printNest(const FusionGroup &unit) {
  line() << "nest [";
  llvm::interleaveComma(unit.shape, os);
  os << "]";
  printConfig(unit);
  if (unit.axis != -1)
    os << " reduce " << unit.axis;
  if (unit.demand) {
    os << " mask ";
    printName(unit.demand.mask);
  }
  if (unit.isEpilogue)
    os << " epilogue";
  os << ": ";
  llvm::interleave(unit.roots, os, [&](const FusionRoot &root) { printRoot(root); }, "; ");
  os << "\n";
}

void PlanPrinter::printOperand(StringRef side, const MatmulOperand &operand) {
  os << ", " << side << " ";
  const OperandPlan &plan = operand.plan;
  switch (plan.layout) {
  case OperandPlan::Layout::InPlace:
    os << "in place";
    break;
  case OperandPlan::Layout::Copied:
    os << "copied";
    break;
  case OperandPlan::Layout::RowsPerTile:
    os << "packed rows per tile";
    break;
  case OperandPlan::Layout::Words:
    if (plan.words.isBuffer)
      os << "words of its buffer";
    else
      os << "packed";
    if (plan.words.panel != 0)
      os << " panels " << plan.words.panel;
    break;
  }
  if (operand.zeros)
    os << " masked";
}

void PlanPrinter::printMatmul(const FusionGroup &unit) {
  const MatmulPlan &plan = *unit.matmul;
  line() << "matmul ";
  printOp(unit.op);
  os << " [" << plan.rows << ", " << plan.columns << ", " << plan.depth << "] tile [" << plan.tileRows << ", "
     << plan.tileColumns() << "] ";
  if (plan.amx)
    os << "amx";
  else if (plan.instruction.group() > 1)
    os << "dot" << plan.instruction.group();
  else
    os << (isa<FloatType>(plan.element) ? "fma" : "mul");
  os << " " << plan.element;
  printOperand("lhs", plan.lhs);
  printOperand("rhs", plan.rhs);
  if (plan.demand) {
    os << ", mask ";
    printName(plan.demand.mask);
  }
  if (plan.epilogue)
    os << ", with epilogue";
  printPlace(unit.op);
  os << "\n";
}

void PlanPrinter::printRegion(const FusionGroup &unit) {
  const RegionPlan &plan = *unit.region;
  for (const auto &nest : plan.inits.nests)
    printNest(*nest);
  line();
  printOp(unit.op);
  for (const AccumulatedMatmul &each : plan.accumulated)
    if (each.startsWithZero) {
      os << " zero first ";
      printName(unit.op->getRegion(0).getArgument(each.index + 1));
    }
  for (auto [value, target] : plan.inPlace) {
    os << " in place ";
    printName(value);
  }
  printPlace(unit.op);
  os << "\n";
  indent += 2;
  for (auto [index, body] : llvm::enumerate(plan.bodies)) {
    if (index != 0)
      os.indent(indent - 2) << "else\n";
    printSchedule(body);
  }
  if (plan.mayBeEmpty) {
    os.indent(indent - 2) << "if empty\n";
    for (const auto &nest : plan.whenEmpty.nests)
      printNest(*nest);
  }
  indent -= 2;
}

void PlanPrinter::printUnit(const FusionGroup &unit) {
  switch (unit.kind) {
  case FusionGroup::Kind::Nest:
    return printNest(unit);
  case FusionGroup::Kind::Product:
    return printMatmul(unit);
  case FusionGroup::Kind::Structured:
    return printRegion(unit);
  case FusionGroup::Kind::Scan:
    line() << "scan ";
    printOp(unit.op);
    printConfig(unit);
    break;
  case FusionGroup::Kind::Histogram:
  case FusionGroup::Kind::Atomic:
  case FusionGroup::Kind::Scalar:
    line() << "elements ";
    printOp(unit.op);
    break;
  }
  printPlace(unit.op);
  os << "\n";
}

void PlanPrinter::printSchedule(const Schedule &schedule) {
  for (const ScheduledOp &step : schedule.steps)
    if (step.unit)
      printUnit(*step.unit);
}

struct PrintPlan : impl::PrintPlanBase<PrintPlan> {
  using PrintPlanBase::PrintPlanBase;

  void runOnOperation() override {
    for (FuncOp function : getOperation().getOps<FuncOp>()) {
      if (failed(verifyEmitterInput(function)))
        return signalPassFailure();
      PointerAnalysis pointers;
      PlanContext context(function, pointers, alias == "disjoint", VectorOptions{vectorBits, false, features});
      PlanPrinter(context, function, llvm::outs()).print(planKernel(context, function));
    }
  }
};

} // namespace
} // namespace blockdsl

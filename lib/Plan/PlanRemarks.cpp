//===- PlanRemarks.cpp - Optimization remarks of a plan ----------------------===//

#include "blockdsl/Plan/PlanRemarks.h"

#include "blockdsl/Analysis/MemoryTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace blockdsl {
namespace {

class StorageRemarks {
public:
  explicit StorageRemarks(PlanContext &context) : context(context) {}

  void visit(const Schedule &schedule);

private:
  void visit(const FusionGroup &group);
  std::string explain(Value block);

  PlanContext &context;
};

Location locationOf(const FusionGroup &group) {
  const FusionRoot &root = group.roots.front();
  return root.op ? root.op->getLoc() : root.block.getLoc();
}

int64_t bytesOf(Value block) {
  auto type = cast<RankedTensorType>(block.getType());
  return type.getNumElements() * getByteSize(type.getElementType());
}

std::string StorageRemarks::explain(Value block) {
  using Reason = MaterializationReason;
  switch (context.storage.getReason(block)) {
  case Reason::Indexed:
    return "it is read at computed indices";
  case Reason::Branches:
    return "its branches run for one element at a time, and a scan or a dot uses it";
  case Reason::Volatile:
    return "its load is volatile";
  case Reason::Overwritten:
    return "a store before its use may change the memory that it loads";
  case Reason::Shared:
    return llvm::formatv("an element costs {0} operations, and {1} consumers use it", context.storage.getCost(block),
                         context.storage.getConsumers(block).size());
  case Reason::Atomic:
    return "an atomic operation uses it element by element";
  case Reason::Loop:
    return llvm::formatv("an element costs {0} operations, and a loop uses it in each iteration",
                         context.storage.getCost(block));
  case Reason::Moves:
    return "it is transposed or reshaped three times in a row";
  case Reason::Carried:
    return "the loop overwrites a block that it is computed from";
  }
  llvm_unreachable("every reason has a text");
}

void StorageRemarks::visit(const FusionGroup &group) {
  for (const FusionRoot &root : group.roots)
    if (root.kind == FusionRoot::Kind::Write && root.block == root.target && context.storage.isMaterialized(root.block))
      remark::passed(root.block.getLoc(), remark::RemarkOpts::name("Materialized").category("storage"))
          << llvm::formatv("block of {0} bytes is kept in memory: {1}", bytesOf(root.block), explain(root.block)).str();
  if (group.region)
    for (const Schedule &body : group.region->bodies)
      visit(body);
}

void StorageRemarks::visit(const Schedule &schedule) {
  for (const auto &group : schedule.units)
    visit(*group);
}

} // namespace

void emitStorageRemarks(PlanContext &context, const Schedule &plan) { StorageRemarks(context).visit(plan); }

void emitConfigRemarks(const FusionGroup &group) {
  bool isLoop = llvm::any_of(group.shape, [](int64_t size) { return size > 1; });
  auto vector = remark::RemarkOpts::name("VectorDimension").category("vectorize");
  if (isLoop && group.config.laneDim == -1)
    remark::missed(locationOf(group), vector) << "runs for one element at a time: a branch, a volatile load or a "
                                                 "combine function with a branch has no vector "
                                                 "form";
  if (const TransposedAccess &access = group.config.transposed; access.dim != -1)
    remark::passed(locationOf(group), vector)
        << llvm::formatv(
               "vectors run along dimension {0}; blocks that are contiguous along dimension {1} are transposed "
               "in registers",
               group.config.laneDim, access.dim)
               .str();
}

void emitAlignmentRemark(Location loc) {
  auto opts = remark::RemarkOpts::name("StoreAlignment").category("vectorize");
  remark::missed(loc, opts) << "each row is stored in one step more, which aligns the other steps to vectors: its "
                               "address is not known to be a multiple of 16 bytes";
}

void emitVersionsRemark(Location loc, LoopVersions versions) {
  auto opts = remark::RemarkOpts::name("LoopVersions").category("vectorize");
  StringRef wraps = !versions.remaindersWrap ? "integers"
                    : versions.integersWrap  ? "integers or remainders"
                                             : "remainders";
  remark::missed(loc, opts) << llvm::formatv("addresses are contiguous only if no {0} wrap, which is tested before the "
                                             "loop; other versions of it run element by element or gather",
                                             wraps)
                                   .str();
}

void emitMatmulRemark(Location loc, const MatmulPlan &plan) {
  auto opts = remark::RemarkOpts::name("MatmulInstruction").category("matmul");
  std::string tile = llvm::formatv("tile of {0} x {1}", plan.tileRows, plan.tileColumns());
  Type operand = cast<RankedTensorType>(plan.lhs.block.getType()).getElementType();
  if (plan.amx || plan.instruction.group() > 1) {
    remark::passed(loc, opts) << llvm::formatv("{0} by {1} on groups of {2} {3}", tile,
                                               plan.amx ? "AMX" : "a dot instruction",
                                               plan.amx ? plan.amx->group() : plan.instruction.group(), operand)
                                     .str();
    return;
  }
  if (operand == plan.element)
    remark::passed(loc, opts) << llvm::formatv("{0} by multiply-adds of {1}", tile, plan.element).str();
  else
    remark::missed(loc, opts)
        << llvm::formatv(
               "{0} by multiply-adds of {1}, to which {2} is converted: the CPU has no instruction for groups "
               "of it, or the extents are no powers of two",
               tile, plan.element, operand)
               .str();
}

static remark::RemarkOpts iterationsOpts() { return remark::RemarkOpts::name("MergedIterations").category("matmul"); }

void emitIterationsRemark(Location loc, const MatmulPlan &plan) {
  std::string text = llvm::formatv("{0} iterations of the loop are multiplied together", plan.iterations);
  if (plan.lhs.plan.tryInPlace)
    text += ", the left operand is read in place where its rows permit that";
  if (plan.rhs.plan.kept != 0)
    text += ", the right one stays packed for programs that use it next";
  remark::passed(loc, iterationsOpts()) << text;
}

void emitSingleIterationRemark(Location loc, ShapedType sums, StringRef reason) {
  int64_t bytes = 2 * sums.getNumElements() * getByteSize(sums.getElementType());
  remark::missed(loc, iterationsOpts())
      << llvm::formatv("each iteration of the loop reads and writes all sums, {0} bytes: {1}", bytes, reason).str();
}

} // namespace blockdsl

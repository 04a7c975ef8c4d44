//===- PlanAttributes.cpp - Decisions as attributes of the cpu dialect -------===//

#include "blockdsl/Plan/PlanAttributes.h"

using namespace mlir;

namespace blockdsl {

cpu::NestAttr getNestAttr(MLIRContext *context, const NestConfig &config) {
  cpu::TransposeAttr transpose;
  if (const TransposedAccess &access = config.transposed; access.dim != -1)
    transpose = cpu::TransposeAttr::get(context, access.dim, access.square, access.rows);
  SmallVector<int64_t> order(config.order.begin(), config.order.end());
  return cpu::NestAttr::get(context, DenseI64ArrayAttr::get(context, order), config.laneDim, config.machineLanes,
                            config.lanes / config.machineLanes, transpose);
}

cpu::BoundsAttr getBoundsAttr(MLIRContext *context, const BoundedDims &bounds) {
  auto attribute = [&](ArrayRef<int64_t> dims) {
    return dims.empty() ? DenseI64ArrayAttr() : DenseI64ArrayAttr::get(context, dims);
  };
  return bounds.empty() ? cpu::BoundsAttr()
                        : cpu::BoundsAttr::get(context, attribute(bounds.below), attribute(bounds.from));
}

cpu::Prefetched getPrefetched(PrefetchPlan::Part part) {
  switch (part) {
  case PrefetchPlan::Part::None:
    return cpu::Prefetched::None;
  case PrefetchPlan::Part::NextTile:
    return cpu::Prefetched::NextTile;
  case PrefetchPlan::Part::NextIteration:
    return cpu::Prefetched::NextIteration;
  }
  llvm_unreachable("every part has an attribute");
}

cpu::PrefetchAttr getPrefetchAttr(MLIRContext *context, const PrefetchPlan &plan) {
  if (plan.isEmpty())
    return {};
  return cpu::PrefetchAttr::get(context, getPrefetched(plan.lhs), getPrefetched(plan.rhs), plan.lines, plan.steps,
                                plan.sums);
}

static cpu::Layout getLayout(OperandPlan::Layout layout) {
  switch (layout) {
  case OperandPlan::Layout::InPlace:
    return cpu::Layout::InPlace;
  case OperandPlan::Layout::Copied:
    return cpu::Layout::Copied;
  case OperandPlan::Layout::Words:
    return cpu::Layout::Packed;
  case OperandPlan::Layout::RowsPerTile:
    return cpu::Layout::PackedRows;
  }
  llvm_unreachable("every layout has an attribute");
}

static cpu::OperandAttr getOperandAttr(MLIRContext *context, const OperandPlan &plan) {
  if (plan.layout == OperandPlan::Layout::InPlace || plan.layout == OperandPlan::Layout::Copied)
    return cpu::OperandAttr::get(context, getLayout(plan.layout),
                                 plan.copy ? getNestAttr(context, plan.copy->config) : cpu::NestAttr(), 1,
                                 cpu::WordOrder::AsStored, 0, 0, false, false, plan.kept, false);
  const WordFormat &words = plan.words;
  return cpu::OperandAttr::get(context, getLayout(plan.layout), {}, words.group,
                               static_cast<cpu::WordOrder>(words.order), words.panel, words.least, words.alongCommon,
                               words.isBuffer, plan.kept, plan.tryInPlace);
}

cpu::MatmulAttr getMatmulAttr(MLIRContext *context, const MatmulPlan &plan) {
  auto instruction = plan.amx                       ? cpu::Instruction::AMX
                     : plan.instruction.group() > 1 ? cpu::Instruction::Dot
                                                    : cpu::Instruction::MultiplyAdd;
  return cpu::MatmulAttr::get(
      context, DenseI64ArrayAttr::get(context, {plan.tileRows, plan.tileColumns()}), plan.width, instruction,
      getOperandAttr(context, plan.lhs.plan), getOperandAttr(context, plan.rhs.plan),
      plan.rhs.whenWrapping ? getOperandAttr(context, *plan.rhs.whenWrapping) : cpu::OperandAttr(),
      plan.epilogue != nullptr, plan.iterations);
}

} // namespace blockdsl

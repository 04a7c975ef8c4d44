//===- CPU.cpp - The cpu dialect ----------------------------------------===//

#include "blockdsl/Dialect/CPU/IR/CPU.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace blockdsl;
using namespace blockdsl::cpu;

#include "blockdsl/Dialect/CPU/IR/CPUDialect.cpp.inc"
#include "blockdsl/Dialect/CPU/IR/CPUEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "blockdsl/Dialect/CPU/IR/CPUAttrs.cpp.inc"

void CPUDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "blockdsl/Dialect/CPU/IR/CPUAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/CPU/IR/CPUOps.cpp.inc"
      >();
}

LogicalResult NestAttr::verify(function_ref<InFlightDiagnostic()> emitError, DenseI64ArrayAttr order, int64_t vector,
                               int64_t lanes, int64_t interleave, TransposeAttr transpose) {
  // An array that cannot be parsed is null, and its error has been emitted.
  if (!order)
    return failure();
  llvm::SmallSet<int64_t, 8> dims;
  for (int64_t dim : order.asArrayRef())
    if (dim < 0 || !dims.insert(dim).second)
      return emitError() << "expects each dimension of 'order' once, got " << dim << " twice or below 0";
  if (vector < -1)
    return emitError() << "expects 'vector' to be a dimension, or -1 for scalar code, got " << vector;
  if (!llvm::isPowerOf2_64(lanes) || !llvm::isPowerOf2_64(interleave))
    return emitError() << "expects 'lanes' and 'interleave' to be powers of two, got " << lanes << " and "
                       << interleave;
  if (vector == -1 && lanes * interleave != 1)
    return emitError() << "expects one lane of scalar code, got " << lanes * interleave;
  return success();
}

LogicalResult BoundsAttr::verify(function_ref<InFlightDiagnostic()> emitError, DenseI64ArrayAttr below,
                                 DenseI64ArrayAttr from) {
  for (auto [name, attribute] : {std::pair("below", below), std::pair("from", from)}) {
    llvm::SmallSet<int64_t, 8> dims;
    for (int64_t dim : attribute ? attribute.asArrayRef() : ArrayRef<int64_t>())
      if (dim < 0 || !dims.insert(dim).second)
        return emitError() << "expects each dimension of '" << name << "' once, got " << dim << " twice or below 0";
  }
  if ((!below || below.empty()) && (!from || from.empty()))
    return emitError() << "expects a dimension in 'below' or 'from'";
  return success();
}

LogicalResult VersionsAttr::verify(function_ref<InFlightDiagnostic()> emitError, bool integersWrap,
                                   bool remaindersWrap) {
  if (!integersWrap && !remaindersWrap)
    return emitError() << "expects 'integers_wrap' or 'remainders_wrap'";
  return success();
}

LogicalResult StoresAttr::verify(function_ref<InFlightDiagnostic()> emitError, bool align, bool stream) {
  if (!align && !stream)
    return emitError() << "expects 'align' or 'stream'";
  return success();
}

/// Bounds the memory of packed operands.
constexpr int64_t kMostIterations = 256, kMostKept = 256;

LogicalResult MatmulAttr::verify(function_ref<InFlightDiagnostic()> emitError, DenseI64ArrayAttr tile, int64_t lanes,
                                 Instruction, OperandAttr lhs, OperandAttr rhs, OperandAttr, bool, int64_t iterations) {
  if (!tile || !lhs || !rhs)
    return failure();
  if (tile.size() != 2 || tile[0] < 1 || lanes < 1 || tile[1] < lanes || tile[1] % lanes != 0)
    return emitError() << "expects 'tile' to be rows and a multiple of " << lanes << " columns, got ["
                       << tile.asArrayRef() << "]";
  if (iterations < 1 || iterations > kMostIterations)
    return emitError() << "expects 'iterations' from 1 to " << kMostIterations << ", got " << iterations;
  for (OperandAttr operand : {lhs, rhs})
    if (operand.getKept() < 0 || operand.getKept() > kMostKept)
      return emitError() << "expects 'kept' from 0 to " << kMostKept << ", got " << operand.getKept();
  return success();
}

/// Prefetches of more lines or steps are as useless as none.
constexpr int64_t kMostLines = 64, kMostPanelSteps = 4096;

LogicalResult PrefetchAttr::verify(function_ref<InFlightDiagnostic()> emitError, Prefetched lhs, Prefetched rhs,
                                   int64_t lines, int64_t panelSteps, bool sums) {
  bool hasOperand = lhs != Prefetched::None || rhs != Prefetched::None;
  if (!hasOperand && panelSteps == 0 && !sums)
    return emitError() << "expects 'lhs', 'rhs', 'panel_steps' or 'sums'";
  if (hasOperand ? lines < 1 || lines > kMostLines : lines != 0)
    return emitError() << "expects 'lines' from 1 to " << kMostLines << " with 'lhs' or 'rhs', got " << lines;
  if (panelSteps < 0 || panelSteps > kMostPanelSteps)
    return emitError() << "expects 'panel_steps' from 0 to " << kMostPanelSteps << ", got " << panelSteps;
  return success();
}

//===-- Ops -----------------------------------------------------------------===//

#define GET_OP_CLASSES
#include "blockdsl/Dialect/CPU/IR/CPUOps.cpp.inc"

/// Parses `%value : type in storage, ...`.
ParseResult YieldOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> values;
  SmallVector<Type> types;
  SmallVector<Attribute> storage;
  Builder &b = parser.getBuilder();
  OpAsmParser::UnresolvedOperand value;
  SMLoc start = parser.getCurrentLocation();
  for (OptionalParseResult next = parser.parseOptionalOperand(value); next.has_value();) {
    FailureOr<Storage> kept = failure();
    if (failed(*next) || parser.parseColonType(types.emplace_back()) || parser.parseKeyword("in") ||
        failed(kept = FieldParser<Storage>::parse(parser)))
      return failure();
    values.push_back(value);
    storage.push_back(StorageAttr::get(b.getContext(), *kept));
    if (failed(parser.parseOptionalComma()))
      break;
    next = OptionalParseResult(parser.parseOperand(value));
  }
  result.getOrAddProperties<Properties>().storage = b.getArrayAttr(storage);
  return failure(parser.resolveOperands(values, types, start, result.operands) ||
                 parser.parseOptionalAttrDict(result.attributes));
}

void YieldOp::print(OpAsmPrinter &printer) {
  const char *separator = " ";
  for (auto [value, storage] : llvm::zip(getValues(), getStorage())) {
    printer << separator << value << " : " << value.getType() << " in "
            << stringifyStorage(cast<StorageAttr>(storage).getValue());
    separator = ", ";
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"storage"});
}

YieldOp NestOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

Value NestOp::getYielded(OpResult result) { return getYield().getValues()[result.getResultNumber()]; }

Storage NestOp::getStorage(OpResult result) {
  return cast<StorageAttr>(getYield().getStorage()[result.getResultNumber()]).getValue();
}

LogicalResult NestOp::verify() {
  YieldOp yield = getYield();
  if (yield.getStorage().size() != yield.getValues().size())
    return yield.emitOpError("expects a storage for each value, got ")
           << yield.getStorage().size() << " for " << yield.getValues().size();
  if (yield.getValues().getTypes() != getResultTypes())
    return emitOpError("expects results of the types that it yields");
  for (OpResult result : getResults())
    if (isa<RankedTensorType>(result.getType()) == (getStorage(result) == Storage::Register))
      return emitOpError("expects a scalar in a register and a block in memory, got ")
             << result.getType() << " in " << stringifyStorage(getStorage(result));
  if (getBoundsAttr() && !getMask() && !getMatmulAttr())
    return emitOpError("expects a mask or a 'matmul' with 'bounds'");
  if (getVersionsAttr() && !getConfigAttr() && !getMatmulAttr())
    return emitOpError("expects a 'config' or a 'matmul' with 'versions'");
  if (getStoresAttr() && !getConfigAttr())
    return emitOpError("expects a 'config' with 'stores'");
  if (getPrefetchAttr() && !getMatmulAttr())
    return emitOpError("expects a 'matmul' with 'prefetch'");
  return success();
}

Value blockdsl::getDefinition(Value block) {
  while (auto nest = block.getDefiningOp<NestOp>())
    block = nest.getYielded(cast<OpResult>(block));
  return block;
}

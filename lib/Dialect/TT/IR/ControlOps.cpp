//===- ControlOps.cpp - Functions and calls ---------------------*- C++ -*-===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace blockdsl;

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/ControlOps.cpp.inc"

void TTDialect::registerControlOps() {
  addOperations<
#define GET_OP_LIST
#include "blockdsl/Dialect/TT/IR/ControlOps.cpp.inc"
      >();
}

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type,
                   ArrayRef<NamedAttribute> attributes, ArrayRef<DictionaryAttr> argumentAttributes) {
  state.addAttribute(SymbolTable::getSymbolAttrName(), builder.getStringAttr(name));
  state.addAttribute(getFunctionTypeAttrName(state.name), TypeAttr::get(type));
  state.attributes.append(attributes.begin(), attributes.end());
  state.addRegion();
  if (argumentAttributes.empty())
    return;
  assert(type.getNumInputs() == argumentAttributes.size());
  call_interface_impl::addArgAndResultAttrs(builder, state, argumentAttributes, {}, getArgAttrsAttrName(state.name),
                                            getResAttrsAttrName(state.name));
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(arguments, results); };
  SMLoc start = parser.getCurrentLocation();
  if (function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                               getFunctionTypeAttrName(result.name), buildType,
                                               getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name)))
    return failure();
  return verifyInherentAttrs(result.name, result.attributes, [&] { return parser.emitError(start); });
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

void CallOp::build(OpBuilder &builder, OperationState &state, FuncOp callee, ValueRange operands) {
  state.addOperands(operands);
  state.addAttribute(getCalleeAttrName(state.name), FlatSymbolRefAttr::get(callee));
  state.addTypes(callee.getResultTypes());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("expects callee (") << getCallee() << ") to be a function of this module";
  FunctionType type = callee.getFunctionType();
  if (type.getNumInputs() != getNumOperands())
    return emitOpError("expects number of operands (") << getNumOperands() << ") to equal the callee's number of "
                                                       << "arguments (" << type.getNumInputs() << ")";
  for (unsigned i = 0; i < getNumOperands(); ++i)
    if (getOperand(i).getType() != type.getInput(i))
      return emitOpError("expects type of operand ")
             << i << " (" << getOperand(i).getType() << ") to equal the argument's (" << type.getInput(i) << ")";
  if (TypeRange(type.getResults()) != TypeRange(getResultTypes()))
    return emitOpError("expects result types (")
           << getResultTypes() << ") to equal the callee's (" << type.getResults() << ")";
  return success();
}

LogicalResult ReturnOp::verify() {
  auto function = cast<FuncOp>((*this)->getParentOp());
  ArrayRef<Type> results = function.getResultTypes();
  if (getNumOperands() != results.size())
    return emitOpError("expects number of operands (") << getNumOperands() << ") to equal the function's number of "
                                                       << "results (" << results.size() << ")";
  for (unsigned i = 0; i < results.size(); ++i)
    if (getOperand(i).getType() != results[i])
      return emitOpError("expects type of operand ")
             << i << " (" << getOperand(i).getType() << ") to equal the function's result (" << results[i] << ")";
  return success();
}

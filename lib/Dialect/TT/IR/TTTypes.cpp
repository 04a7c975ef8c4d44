//===- TTTypes.cpp - Pointers and tensor descriptors ------------*- C++ -*-===//
#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Dialect/TT/IR/TritonText.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace blockdsl;

#define GET_TYPEDEF_CLASSES
#include "blockdsl/Dialect/TT/IR/TTTypes.cpp.inc"

void TTDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "blockdsl/Dialect/TT/IR/TTTypes.cpp.inc"
      >();
}

Type PtrType::parse(AsmParser &parser) {
  Type pointee;
  uint32_t space = static_cast<uint32_t>(AddressSpace::Global);
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseType(pointee))
    return {};
  if (succeeded(parser.parseOptionalComma())) {
    std::string word;
    SMLoc where = parser.getCurrentLocation();
    if (succeeded(parser.parseOptionalString(&word))) {
      std::optional<AddressSpace> known = symbolizeAddressSpace(word);
      if (!known) {
        parser.emitError(where) << "expects address space (\"" << word
                                << "\") to be \"global\", \"descriptor\" or \"constant\"";
        return {};
      }
      space = static_cast<uint32_t>(*known);
    } else if (parser.parseInteger(space)) {
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PtrType>(start, parser.getContext(), pointee, space);
}

void PtrType::print(AsmPrinter &printer) const {
  printer << '<' << getPointeeType();
  if (getAddressSpace() != static_cast<uint32_t>(AddressSpace::Global)) {
    // Triton 3.9 prints the name of the space. A space without a name is printed as its number.
    std::optional<AddressSpace> known = symbolizeAddressSpace(getAddressSpace());
    if (known && getPrintVersion() == TTVersion::V3_9)
      printer << ", \"" << stringifyAddressSpace(*known) << '"';
    else
      printer << ", " << getAddressSpace();
  }
  printer << '>';
}

LogicalResult PtrType::verify(function_ref<InFlightDiagnostic()> emitError, Type pointee, uint32_t) {
  if (isa<IntegerType, FloatType, PtrType>(pointee))
    return success();
  if (auto block = dyn_cast<RankedTensorType>(pointee); block && block.hasStaticShape())
    return verifyBlockSize(emitError, block);
  return emitError() << "expects pointee type (" << pointee << ") to be a scalar, a pointer or a block of static shape";
}

Type TensorDescType::parse(AsmParser &parser) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess())
    return {};
  // Triton up to 3.7 wraps the block: tensor<16x64xf16>.
  bool isWrapped = succeeded(parser.parseOptionalKeyword("tensor"));
  if ((isWrapped && parser.parseLess()) || parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
      parser.parseType(element) || (isWrapped && parser.parseGreater()) || parser.parseGreater())
    return {};
  return parser.getChecked<TensorDescType>(start, parser.getContext(), shape, element);
}

void TensorDescType::print(AsmPrinter &printer) const {
  bool isWrapped = getPrintVersion() <= TTVersion::V3_7;
  printer << (isWrapped ? "<tensor<" : "<");
  for (int64_t size : getShape())
    printer << size << 'x';
  printer << getElementType() << (isWrapped ? ">>" : ">");
}

LogicalResult TensorDescType::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                     Type element) {
  if (shape.empty() || shape.size() > 5)
    return emitError() << "expects rank of block (" << shape.size() << ") to be 1 to 5";
  if (!isa<IntegerType, FloatType>(element))
    return emitError() << "expects element type (" << element << ") to be an integer or a float";
  return success();
}

RankedTensorType TensorDescType::getBlockType() const {
  Type element = getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(getContext(), integer.getWidth());
  return RankedTensorType::get(getShape(), element);
}

Type blockdsl::getPointeeType(Type type) {
  auto pointer = dyn_cast<PtrType>(getElementTypeOrSelf(type));
  return pointer ? getSameShape(type, pointer.getPointeeType()) : Type();
}

PtrType blockdsl::getElementPointer(Type type) {
  auto pointer = cast<PtrType>(type);
  return PtrType::get(type.getContext(), getElementTypeOrSelf(pointer.getPointeeType()), pointer.getAddressSpace());
}

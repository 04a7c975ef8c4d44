//===- TTTypes.cpp - the pointer type ---------------------------*- C++ -*-===//
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
    // Triton spells the space with a word since 3.9. A space without a word is printed as its number.
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
    return success();
  return emitError() << "expects pointee type (" << pointee << ") to be a scalar, a pointer or a block of static shape";
}

Type blockdsl::getPointeeType(Type type) {
  auto pointer = dyn_cast<PtrType>(getElementTypeOrSelf(type));
  return pointer ? getSameShape(type, pointer.getPointeeType()) : Type();
}

PtrType blockdsl::getElementPointer(Type type) {
  auto pointer = cast<PtrType>(type);
  return PtrType::get(type.getContext(), getElementTypeOrSelf(pointer.getPointeeType()), pointer.getAddressSpace());
}

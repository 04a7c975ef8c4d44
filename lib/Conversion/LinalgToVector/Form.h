//===- Form.h - What the vectoriser takes ----------------------*- C++ -*-===//

#ifndef BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_FORM_H
#define BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_FORM_H

#include "blockdsl/Dialect/TT/IR/TT.h"

namespace blockdsl {

/// Says which op of a kernel is not of the form that `convert-tt-to-linalg` leaves, if one is not. Everything behind
/// relies on that form, and asks no more.
mlir::LogicalResult verifyForm(FuncOp kernel);

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_LINALGTOVECTOR_FORM_H

//===- TT.h - The tt dialect ------------------------------------*- C++ -*-===//
// The dialect, its types, attributes and ops: the one header to include for them.
//===----------------------------------------------------------------------===//
#ifndef BLOCKDSL_DIALECT_TT_IR_TT_H
#define BLOCKDSL_DIALECT_TT_IR_TT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "blockdsl/Dialect/TT/IR/TTEnums.h.inc"

#include "blockdsl/Dialect/TT/IR/BarrierEnums.h.inc"
#include "blockdsl/Dialect/TT/IR/TTDialect.h.inc"
#include "blockdsl/Dialect/TT/IR/TTGDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "blockdsl/Dialect/TT/IR/TTAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "blockdsl/Dialect/TT/IR/TTTypes.h.inc"

namespace blockdsl {

/// The maximum number of elements of a block.
constexpr int64_t maxBlockElements = int64_t(1) << 20;

/// Verifies that a block has a static shape, extents that are powers of two, and at most `maxBlockElements` elements.
mlir::LogicalResult verifyBlockSize(mlir::Operation *op, mlir::Type type);
mlir::LogicalResult verifyBlockSize(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                                    mlir::RankedTensorType block);

namespace OpTrait {
/// Verifies the size of every block that an op uses or defines.
template <typename ConcreteOp> struct BoundedBlocks : mlir::OpTrait::TraitBase<ConcreteOp, BoundedBlocks> {
  static mlir::LogicalResult verifyTrait(mlir::Operation *op) {
    for (mlir::Type type : op->getOperandTypes())
      if (failed(verifyBlockSize(op, type)))
        return mlir::failure();
    for (mlir::Type type : op->getResultTypes())
      if (failed(verifyBlockSize(op, type)))
        return mlir::failure();
    return mlir::success();
  }
};
} // namespace OpTrait

/// Returns `type` with its elements replaced, or `element` if it is a scalar.
inline mlir::Type getSameShape(mlir::Type type, mlir::Type element) {
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  return shaped ? mlir::Type(shaped.clone(element)) : element;
}

/// Returns `!tt.ptr<T>` for a block pointer to a block of T, in the same address space.
PtrType getElementPointer(mlir::Type blockPointer);

/// The output of prints and assertions, which is no memory.
struct DebugOutput : mlir::SideEffects::Resource::Base<DebugOutput> {
  llvm::StringRef getName() override { return "DebugOutput"; }
};

/// Returns the type behind a pointer (T for `!tt.ptr<T>`, a block for a block pointer) or a block of pointers (a block
/// of T), or null for other types.
mlir::Type getPointeeType(mlir::Type type);

} // namespace blockdsl

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/BarrierOps.h.inc"

#define GET_OP_CLASSES
#include "blockdsl/Dialect/TT/IR/TTOps.h.inc"

namespace blockdsl {

/// Verifies that `kernel` can be launched: it has a body, takes numbers of at most 64 bits, pointers and tensor
/// descriptors with their sizes, returns nothing, calls nothing, and has no block pointer.
mlir::LogicalResult verifyKernel(FuncOp kernel);

/// Emits an error unless a descriptor parameter is followed by its shape and strides, which a launch passes there.
mlir::LogicalResult verifyDescriptorParameter(FuncOp kernel, unsigned argument);

/// Returns the only op in the region of a reduction or scan, such as `arith.addf`, if it takes both elements, or null.
mlir::Operation *getSimpleCombiner(mlir::Region &region);

} // namespace blockdsl

#endif // BLOCKDSL_DIALECT_TT_IR_TT_H

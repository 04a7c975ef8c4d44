//===- EmissionContext.h - State shared by the emitters of a kernel -----------------===//
//
// The state all emitters of a kernel share: where scalars went, which blocks are in memory and where, and the
// options of the pass.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_EMISSIONCONTEXT_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_EMISSIONCONTEXT_H

#include "LaneEmitter.h"
#include "blockdsl/Analysis/PointerAnalysis.h"
#include "blockdsl/Plan/VectorOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace blockdsl {

using Values = llvm::SmallVector<mlir::Value>;

/// A block in memory, row-major.
struct Buffer {
  mlir::Value pointer;
  mlir::Type element;
  llvm::SmallVector<int64_t, 4> shape;
  unsigned level = 0; ///< the loop depth that `pointer` is available at
};

/// Conditions of the iterations of a loop that adds a matmul to a block.
struct Accumulation {
  mlir::Value isZero;     ///< the block is zero, and its buffer not initialized; null for never
  mlir::Value isComplete; ///< this is the last addition; null for always
};

class EmissionContext {
public:
  EmissionContext(mlir::OpBuilder &builder, mlir::func::FuncOp function, const VectorOptions &options)
      : builder(builder), hints(/*assumeNoWrap=*/true), options(options), function(function), home(&function.front()) {}

  /// The emitted scalar that stands for `source`, which has been scheduled before.
  mlir::Value getScalar(mlir::Value source) const {
    mlir::Value scalar = scalars.lookup(resolve(source));
    assert(scalar && "a scalar is scheduled before its users");
    return scalar;
  }
  void setScalar(mlir::Value source, mlir::Value scalar) { scalars[source] = scalar; }
  bool hasScalar(mlir::Value source) const { return scalars.contains(resolve(source)); }

  const Buffer *getBuffer(mlir::Value block) const {
    auto found = buffers.find(resolve(block));
    return found == buffers.end() ? nullptr : &found->second;
  }
  void setBuffer(mlir::Value block, Buffer buffer) { buffers[block] = std::move(buffer); }
  /// A fresh buffer of the block's shape, which lives in the block of the function that is being written.
  Buffer allocate(mlir::Location loc, llvm::ArrayRef<int64_t> shape, mlir::Type element);
  /// The part of `buffer` at an index of its first dimension, at the builder's place.
  Buffer getPart(mlir::Location loc, const Buffer &buffer, mlir::Value index, unsigned level = 0);
  /// The buffer of `block`, made on first use.
  const Buffer &getOrAllocate(mlir::Value block);
  /// Makes `alias` stand for `value` from now on.
  void setAlias(mlir::Value alias, mlir::Value value) { aliases[alias] = value; }
  /// A read-only buffer that holds a constant.
  Buffer getConstantTable(mlir::Location loc, mlir::DenseElementsAttr elements);

  Accumulation getAccumulation(mlir::Operation *matmul) const { return accumulations.lookup(matmul); }
  void setAccumulation(mlir::Operation *matmul, Accumulation accumulation) { accumulations[matmul] = accumulation; }

  mlir::OpBuilder &builder;
  PointerAnalysis pointers; ///< facts
  PointerAnalysis hints;    ///< the same, if no remainder wraps within a block
  bool hasVersions = true;  ///< whether there may be two of a nest; not within one of them
  const VectorOptions &options;
  mlir::func::FuncOp function;
  mlir::Block *home; ///< what is being written: the function's body, or a turn of one of the kernel's own loops

private:
  mlir::Value resolve(mlir::Value value) const {
    mlir::Value found = aliases.lookup(value);
    return found ? found : value;
  }

  llvm::DenseMap<mlir::Value, mlir::Value> scalars, aliases;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::DenseMap<mlir::Operation *, Accumulation> accumulations;
  unsigned tables = 0;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_EMISSIONCONTEXT_H

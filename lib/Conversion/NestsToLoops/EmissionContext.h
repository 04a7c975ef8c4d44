//===- EmissionContext.h - State shared by the emitters of a kernel -----------------===//
//
// The emitted scalars, the blocks in memory with their buffers, and the options of the pass.
//
//===----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_EMISSIONCONTEXT_H
#define BLOCKDSL_LIB_CONVERSION_NESTSTOLOOPS_EMISSIONCONTEXT_H

#include "LaneEmitter.h"
#include "blockdsl/Analysis/PointerAnalysis.h"
#include "blockdsl/Plan/LoopVersions.h"
#include "blockdsl/Plan/VectorOptions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace blockdsl {

using Values = llvm::SmallVector<mlir::Value>;

/// A block in memory, row-major.
struct Buffer {
  mlir::Value pointer;
  mlir::Type element;
  llvm::SmallVector<int64_t, 4> shape;
  unsigned level = 0;  ///< the loop depth at which `pointer` is available
  int64_t padding = 0; ///< unused elements behind each row of the last dimension

  /// Returns the elements from one row of the last dimension to the next.
  int64_t pitch() const { return shape.back() + padding; }
};

/// Conditions on the iteration of a loop that adds a matmul to a block.
struct Accumulation {
  mlir::Value isZero;     ///< the block is zero, and its buffer not initialized; null for never
  mlir::Value isComplete; ///< this is the last addition; null for always
};

class EmissionContext {
public:
  EmissionContext(mlir::OpBuilder &builder, mlir::func::FuncOp function, const VectorOptions &options)
      : builder(builder), hints(/*assumeNoWrap=*/true), options(options), function(function), home(&function.front()) {}

  /// Returns the emitted scalar for `source`, which has been scheduled before.
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
  /// Returns a new buffer, allocated in `home`.
  Buffer allocate(mlir::Location loc, llvm::ArrayRef<int64_t> shape, mlir::Type element, int64_t padding = 0);
  /// Returns the part of `buffer` at an index of its first dimension.
  Buffer getPart(mlir::Location loc, const Buffer &buffer, mlir::Value index, unsigned level = 0);
  /// Returns the buffer of `block`, allocated on first use.
  const Buffer &getOrAllocate(mlir::Value block, int64_t padding = 0);
  /// Replaces `alias` by `value` in later look-ups.
  void setAlias(mlir::Value alias, mlir::Value value) { aliases[alias] = value; }
  /// Returns a read-only buffer that holds a constant.
  Buffer getConstantTable(mlir::Location loc, mlir::DenseElementsAttr elements);

  Accumulation getAccumulation(mlir::Operation *matmul) const { return accumulations.lookup(matmul); }
  void setAccumulation(mlir::Operation *matmul, Accumulation accumulation) { accumulations[matmul] = accumulation; }

  mlir::OpBuilder &builder;
  PointerAnalysis pointers; ///< strides that are certain
  PointerAnalysis hints;    ///< strides under the assumption that no remainder wraps within a block
  LoopVersions versions;    ///< of the nest that is being emitted
  bool hasVersions = true;  ///< nests may have several versions; false inside all versions but NoWrap
  const VectorOptions &options;
  mlir::func::FuncOp function;
  mlir::Block *home; ///< the block of new buffers: the function's body, or the body of a loop of the kernel

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

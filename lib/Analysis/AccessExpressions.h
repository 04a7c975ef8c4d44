//===- AccessExpressions.h - Integers and pointers of a kernel as formulas ---------------------------------------===//
//
// Formulas of integers and of pointers in tt form, for one element of a block. AccessBounds.cpp finds the accesses and
// their conditions.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_ANALYSIS_ACCESSEXPRESSIONS_H
#define BLOCKDSL_LIB_ANALYSIS_ACCESSEXPRESSIONS_H

#include "blockdsl/Analysis/AccessBounds.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include <map>

namespace blockdsl {

/// A pointer as a function argument and a node: the offset in bytes. Unknown if `base` is null.
struct PointerFormula {
  mlir::Value base;
  int64_t offset = 0;
};

class AccessExpressions {
public:
  static constexpr int64_t kUnknown = -1;
  /// The index of an element: a node for each dimension of the block.
  using Index = llvm::SmallVector<int64_t, 4>;

  AccessExpressions(std::vector<AccessNode> &nodes, std::vector<AccessVariable> &variables)
      : nodes(nodes), variables(variables) {}

  /// Returns the node of an integer scalar or of an element of a block, or kUnknown.
  int64_t integer(mlir::Value value, const Index &index);
  /// Returns the formula of a pointer or of an element of a block of pointers.
  PointerFormula pointer(mlir::Value value, const Index &index);

  /// Returns an index that ranges over all elements of a block of `shape`: a variable in each dimension.
  Index lanes(llvm::ArrayRef<int64_t> shape);
  /// Returns the node of a loop's iteration number, or kUnknown if its bounds are unknown.
  int64_t loopVariable(mlir::scf::ForOp loop);
  /// Returns the negation of `bit`.
  int64_t negate(int64_t bit);

private:
  using Key = std::pair<void *, Index>;
  /// Formulas beyond this depth are unknown, so that the recursion does not overflow the stack.
  static constexpr unsigned kMaxDepth = 1000;
  struct Depth {
    explicit Depth(unsigned &depth) : depth(depth) { ++depth; }
    ~Depth() { --depth; }
    unsigned &depth;
  };

  /// Returns the bits of an integer type, index type or element type of a block; 0 for other types.
  static unsigned widthOf(mlir::Type type);

  int64_t make(runtime::AccessOp op, unsigned width, int64_t a = 0, int64_t b = 0, int64_t c = 0);
  int64_t fold(runtime::AccessOp op, unsigned width, int64_t a, int64_t b, int64_t c);
  int64_t inverse(int64_t bit);
  int64_t constant(unsigned width, int64_t value) { return make(runtime::AccessOp::Constant, width, value); }
  std::optional<int64_t> constantOf(int64_t node) const;
  int64_t variable(runtime::VariableKind kind, int64_t dimension, int64_t count, unsigned width);
  int64_t fit(int64_t node, unsigned width);

  /// Returns the source index of the element that `op`, an op that only moves elements, has at `index`.
  std::optional<Index> sourceIndex(mlir::Operation *op, const Index &index);

  int64_t compute(mlir::Value value, const Index &index);
  int64_t ofArgument(mlir::BlockArgument argument, const Index &index);
  int64_t ofArithmetic(mlir::Operation *op, const Index &index);
  int64_t ofComparison(mlir::Operation *op, const Index &index);
  int64_t ofConstant(mlir::Value value);
  int64_t ofBranch(mlir::OpResult result, const Index &index);
  int64_t carried(mlir::scf::ForOp loop, unsigned number, const Index &index, int64_t iterations);
  int64_t step(mlir::Value value, mlir::Value from, const Index &index);
  int64_t computeStep(mlir::Operation *op, mlir::Value from, const Index &index);

  PointerFormula computePointer(mlir::Value value, const Index &index);
  PointerFormula carriedPointer(mlir::scf::ForOp loop, unsigned number, const Index &index, int64_t iterations);
  PointerFormula choose(int64_t condition, const PointerFormula &first, const PointerFormula &second);

  bool dependsOn(int64_t node, int64_t variable) const;
  int64_t iterations(mlir::scf::ForOp loop);

  std::vector<AccessNode> &nodes;
  std::vector<AccessVariable> &variables;
  std::map<AccessNode, int64_t> known;
  std::map<Key, int64_t> integers;
  std::map<Key, PointerFormula> pointers;
  llvm::DenseMap<mlir::Operation *, int64_t> loops;
  /// Pairs of a value and a carried value for which `step` has returned kUnknown.
  llvm::DenseSet<std::pair<void *, void *>> notSums;
  unsigned depth = 0;
};

} // namespace blockdsl

#endif // BLOCKDSL_LIB_ANALYSIS_ACCESSEXPRESSIONS_H

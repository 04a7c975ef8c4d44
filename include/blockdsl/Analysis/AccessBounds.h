//===- AccessBounds.h - Offsets of a kernel's accesses as formulas -----------------------------------------------===//
//
// For each load, store and atomic of a kernel in tt form: the argument that its pointers derive from, the offset in
// bytes as a formula of scalar arguments, the grid and variables (the element's index in the block, the program id, the
// iteration of loops), and the conditions under which the access happens: masks, branches, loop bounds. The lowest and
// the highest offset are computed from them at launch (Runtime/AccessCheck.h).
//
// An access without formula has a reason. A formula is exact: for all values of the variables that satisfy the
// conditions, the kernel makes that access, provided that each node fits its width.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_ANALYSIS_ACCESSBOUNDS_H
#define BLOCKDSL_ANALYSIS_ACCESSBOUNDS_H

#include "blockdsl/Dialect/TT/IR/TT.h"
#include "blockdsl/Runtime/AccessCode.h"
#include "llvm/ADT/SmallVector.h"
#include <string>
#include <vector>

namespace blockdsl {

/// An integer as an operation on earlier nodes. AccessCode.h defines the operands.
struct AccessNode {
  runtime::AccessOp op;
  unsigned width;
  int64_t operands[3];
  bool operator<(const AccessNode &other) const;
};

/// An independent integer from 0 to `count - 1`.
struct AccessVariable {
  runtime::VariableKind kind;
  /// The dimension of the block, the axis of the grid, or the number of the loop.
  int64_t dimension;
  /// A node.
  int64_t count;
};

/// One load, store or atomic.
struct Access {
  mlir::Operation *op;
  runtime::AccessKind kind;
  /// Why there is no formula; empty if there is one.
  std::string reason;
  /// The function's argument that the pointers come from.
  unsigned argument = 0;
  int64_t elementBytes = 0;
  int64_t rank = 0;
  /// A node: bytes from the argument to the element.
  int64_t offset = 0;
  /// Variables of the loops around it.
  llvm::SmallVector<int64_t> loops;
  /// Nodes of one bit that all have to be 1.
  llvm::SmallVector<int64_t> conditions;
};

class AccessBounds {
public:
  explicit AccessBounds(FuncOp kernel);

  llvm::ArrayRef<Access> getAccesses() const { return accesses; }

  /// Returns the formulas in the format of AccessCode.h without duplicates, and adds their accesses to `ops`. The first
  /// formulas are kept if there are too many.
  std::vector<int64_t> encode(llvm::SmallVectorImpl<mlir::Operation *> &ops) const;

  /// A formula as text, for tests.
  std::string print(const Access &access) const;

private:
  std::string print(int64_t node) const;

  std::vector<AccessNode> nodes;
  std::vector<AccessVariable> variables;
  std::vector<Access> accesses;
};

} // namespace blockdsl

#endif // BLOCKDSL_ANALYSIS_ACCESSBOUNDS_H

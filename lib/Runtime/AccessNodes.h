//===- AccessNodes.h - Data structures of access formulas ---------------------------------------------------------===//
//
// Shared by the reader of AccessCheck (AccessCode.cpp) and its search (AccessCheck.cpp).
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_ACCESSNODES_H
#define BLOCKDSL_LIB_RUNTIME_ACCESSNODES_H

#include "blockdsl/Runtime/AccessCheck.h"

namespace blockdsl::runtime {

/// Largest number of variables of a formula in which offset and conditions are linear.
constexpr size_t kMaxFreeVariables = 8;
/// Largest number of enumerated variables of which all combinations of first and last values are tried. With more, all
/// have their first or all their last value.
constexpr size_t kMaxCombined = 3;
/// Largest number of values of an enumerated variable that are tried beside the first and the last.
constexpr size_t kMaxTurningPoints = 2;

struct AccessCheck::Node {
  AccessOp op;
  unsigned width;
  int64_t a, b, c;
  /// The variables on which the node depends.
  uint64_t variables;

  bool isLeaf() const { return op <= AccessOp::Variable; }
  unsigned countOperands() const {
    return isLeaf() ? 0 : op == AccessOp::Fit || op == AccessOp::ZExt ? 1 : op == AccessOp::Select ? 3 : 2;
  }
  size_t operand(unsigned i) const { return static_cast<size_t>(i == 0 ? a : i == 1 ? b : c); }
};

struct AccessCheck::Variable {
  VariableKind kind;
  size_t dimension, count;
};

/// `constant` plus a multiple of each free variable.
struct AccessCheck::Affine {
  bool isValid;
  int64_t constant;
  int64_t factors[kMaxFreeVariables];
};

/// Offset, loops and conditions, which several accesses may share.
struct AccessCheck::Formula {
  /// `larger - smaller - distance` is not negative where a condition holds.
  struct Guide {
    size_t smaller, larger;
    int64_t distance;
  };
  /// A remainder of an enumerated lane, or a quotient of an enumerated variable in a number of iterations. It has no
  /// free variables.
  struct Division {
    size_t node, variable;
  };

  size_t offset;
  std::vector<size_t> loops, conditions;
  /// All variables, the enumerated ones, and the free ones.
  std::vector<size_t> variables, set, free;
  uint64_t freeMask = 0;
  /// Nodes with variables, in order: all of the formula; of those in the search, for each enumerated variable the nodes
  /// that depend on it and on no later one; and nodes with free variables.
  std::vector<size_t> all;
  std::vector<std::vector<size_t>> following;
  std::vector<size_t> linear;
  std::vector<Guide> guides;
  std::vector<Division> divisions;
  std::vector<size_t> numbers;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_ACCESSNODES_H

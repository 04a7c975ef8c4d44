//===- AccessNodes.h - Formulas as AccessCheck keeps them ---------------------------------------------------------===//
//
// The parts of AccessCheck that its reader (AccessCode.cpp) and its search (AccessCheck.cpp) share.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_ACCESSNODES_H
#define BLOCKDSL_LIB_RUNTIME_ACCESSNODES_H

#include "blockdsl/Runtime/AccessCheck.h"

namespace blockdsl::runtime {

/// Variables of all formulas: a set of them is a word.
constexpr size_t kMaxAccessVariables = 63;
/// Variables of one formula that offset and conditions are linear in.
constexpr size_t kMaxFreeVariables = 8;
/// Variables of one formula that are set to first and last values: all combinations of them, or the two in which all
/// have their first or all their last value.
constexpr size_t kMaxCombined = 3;

struct AccessCheck::Node {
  AccessOp op;
  unsigned width;
  int64_t a, b, c;
  /// The variables that it depends on.
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

/// A formula: offset, loops and conditions, which several accesses may have in common.
struct AccessCheck::Formula {
  /// `larger - smaller - distance` is not negative where a condition holds.
  struct Guide {
    size_t smaller, larger;
    int64_t distance;
  };
  /// A remainder by a divisor without free variables, of a dividend that depends on a variable which is set.
  struct Remainder {
    size_t node, variable;
  };

  size_t offset;
  std::vector<size_t> loops, conditions;
  /// All of it, and how they are treated.
  std::vector<size_t> variables, set, free;
  uint64_t freeMask = 0;
  /// Nodes with variables, in order: those of the whole formula; of those that the search evaluates, for each variable
  /// that is set, those that depend on it and on no later one; and those with free variables.
  std::vector<size_t> all;
  std::vector<std::vector<size_t>> following;
  std::vector<size_t> linear;
  std::vector<Guide> guides;
  std::vector<Remainder> remainders;
  std::vector<size_t> numbers;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_ACCESSNODES_H

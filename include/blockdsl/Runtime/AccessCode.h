//===- AccessCode.h - Encoding of access formulas -----------------------------------------------------------------===//
//
// The format of the offset from an argument and the conditions of each load, store and atomic of a kernel.
// Analysis/AccessBounds.cpp writes it and AccessCode.cpp reads it.
//
// A sequence of 64-bit integers:
//
//   version, number of nodes, of variables, of accesses
//   each node:      operation, width in bits, and three operands
//   each variable:  kind, dimension, and the node of its number of values; values start at 0
//   each access:    kind, argument, bytes of an element, dimensions, node of the offset in bytes, the numbers of its
//                   loops and of its conditions, then these: variables of loops around it, and nodes that have to hold
//
// Nodes refer to earlier nodes only. The value of a node is an exact integer. A node has no value if the integer does
// not fit in its width as a signed number, or is not 0 or 1 for a width of 1.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_ACCESSCODE_H
#define BLOCKDSL_RUNTIME_ACCESSCODE_H

#include <cstddef>
#include <cstdint>

namespace blockdsl::runtime {

constexpr int64_t kAccessVersion = 1;
/// Largest number of variables, so that a set of them fits in a word, and of dimensions of an access's block.
constexpr size_t kMaxAccessVariables = 63, kMaxAccessRank = 16;

enum class AccessOp : int64_t {
  /// The first operand itself.
  Constant,
  /// A run-time argument of the kernel, by its number.
  Argument,
  /// The number of programs on an axis of the grid.
  Grid,
  /// A variable, by its number.
  Variable,
  Add,
  Sub,
  Mul,
  DivS,
  DivU,
  RemS,
  RemU,
  MinS,
  MaxS,
  And,
  Or,
  Xor,
  Shl,
  ShrS,
  ShrU,
  /// The unsigned number that an operand's bits are; the second operand is its width, not a node.
  ZExt,
  /// The operand, if it fits.
  Fit,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  ULess,
  ULessEqual,
  /// The second operand if the first is 1, else the third.
  Select,
};
constexpr int64_t kAccessOps = static_cast<int64_t>(AccessOp::Select) + 1;

enum class VariableKind : int64_t {
  /// An index along a dimension of the block that is accessed.
  Lane,
  /// A program's position on an axis of the grid.
  Program,
  /// Iterations of a loop that were completed before.
  Loop,
};
constexpr int64_t kVariableKinds = static_cast<int64_t>(VariableKind::Loop) + 1;

enum class AccessKind : int64_t { Load, Store, Atomic };
constexpr int64_t kAccessKinds = static_cast<int64_t>(AccessKind::Atomic) + 1;

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_ACCESSCODE_H

//===- AccessCheck.h - Search for out-of-bounds accesses of a launch ----------------------------------------------===//
//
// Evaluates the formulas of AccessCode.h for the numbers of one launch and finds accesses outside of given extents. A
// result is certain: it has values of all variables for which the kernel makes the access, and its offset is computed
// from them like in the kernel. The absence of results proves nothing.
//
// The search for the extremes of a formula enumerates the first and last values of variables in nonlinear operations.
// Offset and conditions are linear in the other variables; in the order of their weight in the offset, each is moved as
// far as the conditions allow.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_ACCESSCHECK_H
#define BLOCKDSL_RUNTIME_ACCESSCHECK_H

#include "blockdsl/Runtime/AccessCode.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace blockdsl::runtime {

/// Valid byte offsets from an argument's pointer: `below <= offset` and `offset + element size <= above`.
struct AccessExtent {
  int64_t below, above;
};

/// An access that a launch certainly makes, outside of an argument's extent.
struct AccessOutside {
  size_t access;
  /// In bytes.
  int64_t offset;
  /// The program that makes the access, and the element's index in its block.
  std::array<int64_t, 3> program;
  std::array<int64_t, kMaxAccessRank> lane;
};

class AccessCheck {
public:
  struct Access {
    AccessKind kind;
    /// Index in getArguments().
    size_t argument;
    int64_t elementBytes, rank;
    /// Index in the list of distinct formulas.
    size_t formula;
  };

  /// Reads the code that the compiler has written for a kernel with that many arguments. Returns null if it is invalid.
  static std::unique_ptr<AccessCheck> read(const std::vector<int64_t> &code, size_t argumentCount);
  ~AccessCheck();

  const std::vector<Access> &getAccesses() const { return accesses; }
  /// Returns the kernel's arguments that are pointers of accesses.
  const std::vector<size_t> &getArguments() const { return arguments; }
  /// Returns the kernel's arguments that are numbers in formulas, or in the formula of one access.
  const std::vector<size_t> &getNumbers() const { return numbers; }
  const std::vector<size_t> &getNumbers(size_t access) const;

  /// Finds accesses outside of the extents of getArguments(), at most two per access. `slots` has the kernel's
  /// arguments, and `grid` no zero. Not thread-safe.
  void find(const uint64_t *slots, const int64_t *grid, const std::vector<AccessExtent> &extents,
            std::vector<AccessOutside> &outside);

private:
  struct Formula;
  struct Node;
  struct Variable;
  struct Affine;
  class Reader;
  class Search;
  AccessCheck();
  bool readCode(const std::vector<int64_t> &code, size_t argumentCount);

  std::vector<Node> nodes;
  std::vector<Variable> variables;
  std::vector<Formula> formulas;
  std::vector<Access> accesses;
  std::vector<size_t> arguments, numbers;
  /// Nodes without variables.
  std::vector<size_t> scalars;
  /// The value of each node during the evaluation.
  std::vector<int64_t> values;
  std::vector<uint8_t> isValid;
  std::vector<Affine> affine;
  std::unique_ptr<Search> search;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_ACCESSCHECK_H

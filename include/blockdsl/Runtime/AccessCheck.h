//===- AccessCheck.h - Accesses of a launch that leave their arguments --------------------------------------------===//
//
// Evaluates the formulas of AccessCode.h for the numbers of one launch, and finds accesses outside of given extents. An
// answer is certain: it names values of all variables for which the kernel makes the access, and was computed from them
// as the kernel computes it. Accesses that are not found are not proved to be right.
//
// The extremes of a formula are looked for as follows. Variables in operations that are not linear are set to their
// first and last values. In the others offset and conditions are linear, and each variable, in the order of what it
// weighs in the offset, goes as far as the conditions let it.
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

/// The bytes that an argument's pointer may be moved by: `below <= offset` and `offset + size of the element <= above`.
struct AccessExtent {
  int64_t below, above;
};

/// An access that a launch certainly makes, outside of an argument's extent.
struct AccessOutside {
  static constexpr size_t kMaxRank = 8;
  size_t access;
  /// In bytes.
  int64_t offset;
  /// The program that makes it, and the element's index in its block.
  std::array<int64_t, 3> program;
  std::array<int64_t, kMaxRank> lane;
};

class AccessCheck {
public:
  struct Access {
    AccessKind kind;
    /// Its place in getArguments().
    size_t argument;
    int64_t elementBytes, rank;
    /// Its place in the list of distinct formulas.
    size_t formula;
  };

  /// Reads what the compiler wrote, for a kernel with so many arguments. Null if it cannot be that.
  static std::unique_ptr<AccessCheck> read(const std::vector<int64_t> &code, size_t argumentCount);
  ~AccessCheck();

  const std::vector<Access> &getAccesses() const { return accesses; }
  /// The kernel's arguments that are pointers of accesses.
  const std::vector<size_t> &getArguments() const { return arguments; }
  /// The kernel's arguments that are numbers in formulas, and those in the formula of one access.
  const std::vector<size_t> &getNumbers() const { return numbers; }
  const std::vector<size_t> &getNumbers(size_t access) const;

  /// Finds accesses outside of the extents, which are those of getArguments(): for each access at most two. `slots` are
  /// the kernel's arguments, and `grid` has no zero. Not for several threads at once.
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
  /// Of each node, while something is evaluated.
  std::vector<int64_t> values;
  std::vector<uint8_t> isValid;
  std::vector<Affine> affine;
  std::unique_ptr<Search> search;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_ACCESSCHECK_H

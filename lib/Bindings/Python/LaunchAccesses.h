//===- LaunchAccesses.h - Check for accesses outside of a launch's arguments --------------------------------------===//
//
// Evaluates the formulas of a kernel's accesses before a launch and compares them with the memory of the arguments. A
// launch with the same numbers and extents as the last one that passed is not evaluated again.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHACCESSES_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHACCESSES_H

#include "LaunchRequest.h"

#include "blockdsl/Runtime/AccessCheck.h"

namespace blockdsl::python {

class LaunchAccesses {
public:
  /// Reads the formulas from a sequence of integers, which may be empty. Returns false with an exception set if it is
  /// invalid.
  static bool read(PyObject *code, size_t slots, std::unique_ptr<LaunchAccesses> &accesses);

  /// Returns false with an exception set if a launch certainly accesses memory outside of its arguments. `packed` has
  /// the kernel's arguments followed by the grid.
  bool check(const LaunchRequest &request, const std::vector<Slot> &slots, const uint64_t *packed, PyObject *kernel);

private:
  explicit LaunchAccesses(std::unique_ptr<runtime::AccessCheck> formulas);

  /// An argument whose storage was found to be larger than the tensor.
  struct Stored {
    size_t argument;
    uint64_t address;
    const PyObject *object;
  };

  void describe(const LaunchRequest &request, const std::vector<Slot> &slots, const uint64_t *packed);
  bool hasPassed(const LaunchRequest &request, const std::vector<Slot> &slots) const;
  bool checkStorage(const LaunchRequest &request, const std::vector<Slot> &slots, const runtime::AccessOutside &found,
                    PyObject *kernel, std::vector<Stored> &stored) const;
  bool refuse(const LaunchRequest &request, const std::vector<Slot> &slots, const runtime::AccessOutside &found,
              PyObject *kernel, PyObject *storage) const;

  std::unique_ptr<runtime::AccessCheck> formulas;
  /// Integers, grid and extents of this launch, and of the last one that passed.
  std::vector<uint64_t> numbers, passed;
  std::vector<runtime::AccessExtent> extents;
  std::vector<Stored> stored;
};

/// Returns a tuple of the numbers of launches that were evaluated and that were skipped as equal to the last one.
PyObject *countCheckedLaunches();

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHACCESSES_H

//===- LaunchAccesses.h - Refuses launches that access memory outside of their arguments -------------------------===//
//
// Compares the formulas of a kernel's accesses with the memory behind a launch's arguments, before anything runs. A
// launch whose numbers and extents are those of the last one that passed is not evaluated again.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHACCESSES_H
#define BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHACCESSES_H

#include "LaunchRequest.h"

#include "blockdsl/Runtime/AccessCheck.h"

namespace blockdsl::python {

class LaunchAccesses {
public:
  /// Reads the formulas from a sequence of integers, which may be empty. False with an exception set if it is none.
  static bool read(PyObject *code, size_t slots, std::unique_ptr<LaunchAccesses> &accesses);

  /// Whether a launch may run: false with an exception set if it certainly accesses what is not the memory behind an
  /// argument. `packed` are the kernel's arguments and the grid behind them.
  bool check(const LaunchRequest &request, const std::vector<Slot> &slots, const uint64_t *packed, PyObject *kernel);

private:
  explicit LaunchAccesses(std::unique_ptr<runtime::AccessCheck> formulas);

  /// What an argument was when its storage was found to be larger than the tensor.
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
  /// The numbers of this launch, and those of the last one that passed: integers, the grid, and extents.
  std::vector<uint64_t> numbers, passed;
  std::vector<runtime::AccessExtent> extents;
  std::vector<Stored> stored;
};

/// How many launches of this process were evaluated, and how many were like the last one of their kernel: a tuple.
PyObject *countCheckedLaunches();

} // namespace blockdsl::python

#endif // BLOCKDSL_LIB_BINDINGS_PYTHON_LAUNCHACCESSES_H

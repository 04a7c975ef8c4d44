//===- LaunchAccesses.cpp - Check for accesses outside of a launch's arguments ------------------------------------===//
//
// The extent of an argument is first the tensor's, which is known. If an access leaves it, Python code returns the
// underlying storage, because kernels may access elements of the storage beyond the view that they are passed.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LaunchAccesses.h"

#include "LaunchDescriptor.h"
#include "TracingDisabled.h"

#include <algorithm>

using namespace blockdsl::python;
using blockdsl::runtime::AccessCheck;
using blockdsl::runtime::AccessExtent;
using blockdsl::runtime::AccessKind;
using blockdsl::runtime::AccessOutside;

namespace {

/// Counters of checked and of skipped launches, protected by the GIL.
uint64_t evaluated = 0, remembered = 0;

/// Returns the bytes of a tensor relative to its pointer. A described array may be larger than its base tensor.
AccessExtent extentOf(const Argument &argument) {
  bool isDescriptor = (argument.attributes & attribute::kKindMask) == attribute::Descriptor;
  uint64_t begin = isDescriptor ? argument.descriptor->begin : argument.begin;
  uint64_t end = isDescriptor ? argument.descriptor->end : argument.end;
  if (end == kAnywhere)
    return {INT64_MIN, INT64_MAX};
  return {static_cast<int64_t>(begin - argument.value), static_cast<int64_t>(end - argument.value)};
}

const char *nameOf(AccessKind kind) {
  return kind == AccessKind::Load ? "load" : kind == AccessKind::Store ? "store" : "atomic";
}

} // namespace

/// Allocates all memory in advance, so that launches that pass the check do not allocate.
LaunchAccesses::LaunchAccesses(std::unique_ptr<AccessCheck> ofKernel) : formulas(std::move(ofKernel)) {
  size_t count = formulas->getNumbers().size() + 3 + 2 * formulas->getArguments().size();
  numbers.reserve(count);
  passed.reserve(count);
  extents.resize(formulas->getArguments().size());
}

bool LaunchAccesses::read(PyObject *code, size_t slots, std::unique_ptr<LaunchAccesses> &accesses) {
  PyObject *items = PySequence_Fast(code, "accesses are a sequence of integers");
  if (!items)
    return false;
  std::vector<int64_t> numbers;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items) && !PyErr_Occurred(); ++i)
    numbers.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items, i)));
  Py_DECREF(items);
  if (PyErr_Occurred())
    return false;
  if (numbers.empty())
    return true;
  auto formulas = AccessCheck::read(numbers, slots);
  if (!formulas) {
    PyErr_SetString(PyExc_ValueError, "accesses are no formulas of this version");
    return false;
  }
  accesses.reset(new LaunchAccesses(std::move(formulas)));
  return true;
}

/// Collects the numbers on which the result depends, except for storages.
void LaunchAccesses::describe(const LaunchRequest &request, const std::vector<Slot> &slots, const uint64_t *packed) {
  numbers.clear();
  for (size_t slot : formulas->getNumbers())
    numbers.push_back(packed[slot]);
  for (int64_t size : request.grid)
    numbers.push_back(static_cast<uint64_t>(size));
  const std::vector<size_t> &arguments = formulas->getArguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    extents[i] = extentOf(request.arguments[slots[arguments[i]].parameter]);
    numbers.push_back(static_cast<uint64_t>(extents[i].below));
    numbers.push_back(static_cast<uint64_t>(extents[i].above));
  }
}

bool LaunchAccesses::hasPassed(const LaunchRequest &request, const std::vector<Slot> &slots) const {
  return numbers == passed && std::all_of(stored.begin(), stored.end(), [&](const Stored &each) {
           size_t parameter = slots[each.argument].parameter;
           return request.arguments[parameter].value == each.address && request.values[parameter] == each.object;
         });
}

bool LaunchAccesses::check(const LaunchRequest &request, const std::vector<Slot> &slots, const uint64_t *packed,
                           PyObject *kernel) {
  describe(request, slots, packed);
  if (hasPassed(request, slots)) {
    ++remembered;
    return true;
  }
  ++evaluated;
  std::vector<AccessOutside> outside;
  formulas->find(packed, request.grid, extents, outside);
  if (outside.empty()) {
    passed = numbers;
    stored.clear();
    return true;
  }
  // Python code may launch this kernel meanwhile.
  std::vector<uint64_t> passing = numbers;
  std::vector<Stored> reached;
  TracingDisabled tracingDisabled;
  for (const AccessOutside &found : outside)
    if (!checkStorage(request, slots, found, kernel, reached))
      return false;
  passed = std::move(passing);
  stored = std::move(reached);
  return true;
}

/// Returns true if an access outside of a tensor is, or may be, inside of its storage.
bool LaunchAccesses::checkStorage(const LaunchRequest &request, const std::vector<Slot> &slots,
                                  const AccessOutside &found, PyObject *kernel, std::vector<Stored> &reached) const {
  const AccessCheck::Access &access = formulas->getAccesses()[found.access];
  size_t slot = formulas->getArguments()[access.argument];
  const Argument &argument = request.arguments[slots[slot].parameter];
  PyObject *value = request.values[slots[slot].parameter];
  PyObject *storage = PyObject_CallMethod(request.launcher(), "_memory_behind", "(O)", value);
  unsigned long long begin, end;
  bool isKnown = storage && storage != Py_None && PyArg_ParseTuple(storage, "KK", &begin, &end);
  bool isAllowed = storage == Py_None;
  if (isKnown) {
    auto first = static_cast<__int128>(argument.value) + found.offset;
    isAllowed = first >= begin && first + access.elementBytes <= end;
    if (!isAllowed)
      refuse(request, slots, found, kernel, storage);
  }
  Py_XDECREF(storage);
  if (isAllowed)
    reached.push_back({slot, argument.value, value});
  return isAllowed;
}

/// Calls the Python method that raises the error.
bool LaunchAccesses::refuse(const LaunchRequest &request, const std::vector<Slot> &slots, const AccessOutside &found,
                            PyObject *kernel, PyObject *storage) const {
  const AccessCheck::Access &access = formulas->getAccesses()[found.access];
  size_t parameter = slots[formulas->getArguments()[access.argument]].parameter;
  PyObject *numbers = PyDict_New(), *lanes = PyTuple_New(static_cast<Py_ssize_t>(access.rank));
  bool good = numbers && lanes;
  for (size_t slot : formulas->getNumbers(found.access)) {
    PyObject *name = good ? request.argumentName(slots[slot].parameter) : nullptr;
    good = name && PyDict_SetItem(numbers, name, request.values[slots[slot].parameter]) == 0;
    Py_XDECREF(name);
  }
  for (Py_ssize_t i = 0; good && i < access.rank; ++i)
    PyTuple_SET_ITEM(lanes, i, PyLong_FromLongLong(found.lane[static_cast<size_t>(i)]));
  PyObject *name = good ? request.argumentName(parameter) : nullptr;
  PyObject *result = nullptr;
  if (name)
    result = PyObject_CallMethod(
        request.launcher(), "_refuse_access", "OsOO(nLL)(LLL)OOOK", kernel, nameOf(access.kind), name,
        request.values[parameter], static_cast<Py_ssize_t>(found.access), static_cast<long long>(found.offset),
        static_cast<long long>(access.elementBytes), static_cast<long long>(found.program[0]),
        static_cast<long long>(found.program[1]), static_cast<long long>(found.program[2]), lanes, numbers, storage,
        static_cast<unsigned long long>(request.arguments[parameter].value));
  if (result)
    PyErr_SetString(PyExc_SystemError, "_refuse_access did not raise");
  Py_XDECREF(result);
  Py_XDECREF(name);
  Py_XDECREF(numbers);
  Py_XDECREF(lanes);
  return false;
}

PyObject *blockdsl::python::countCheckedLaunches() {
  return Py_BuildValue("KK", static_cast<unsigned long long>(evaluated), static_cast<unsigned long long>(remembered));
}

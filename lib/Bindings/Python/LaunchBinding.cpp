//===- LaunchBinding.cpp - Arguments, key and grid of a launch ----------------------------------------------------===//
//
// Binds arguments to parameters, computes the key, and reads the sizes of the grid. Invalid launches are refused here.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "GlobalsGuard.h"
#include "LaunchDescriptor.h"
#include "LaunchRequest.h"

#include <algorithm>
#include <cstring>

using namespace blockdsl::python;

/// Created when the module is loaded, so that no launch fails for lack of memory here.
static PyObject *const kRecord = PyUnicode_InternFromString("_record");

/// Calls the Python method that raises the error for a reason.
bool LaunchRequest::refuse(const char *reason, PyObject *name, PyObject *value) {
  PyObject *result = PyObject_CallMethod(reinterpret_cast<PyObject *>(self), "_refuse", "sOO", reason,
                                         name ? name : Py_None, value ? value : Py_None);
  if (result) {
    Py_DECREF(result);
    PyErr_Format(PyExc_SystemError, "_refuse(%s) did not raise", reason);
  }
  return false;
}

bool LaunchRequest::refuseArgument(const char *reason, size_t argument, PyObject *value) {
  PyObject *name = argumentName(argument);
  if (name)
    refuse(reason, name, value);
  Py_XDECREF(name);
  return false;
}

/// Refuses an argument whose conversion raised an exception, with that message. An error of the process is kept.
bool LaunchRequest::refuseUnreadable(size_t argument) {
  if (isErrorOfProcess())
    return false;
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  PyObject *reason = PyUnicode_FromFormat("unreadable: %S", error ? error : Py_None);
  const char *text = reason ? PyUnicode_AsUTF8(reason) : nullptr;
  PyErr_Clear();
  refuseArgument(text ? text : "unreadable: ", argument, values[argument]);
  Py_XDECREF(reason);
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(traceback);
  return false;
}

/// Drops all kernels if a global that they were compiled with has changed.
bool LaunchRequest::checkGlobals() {
  if (areGlobalsUnchanged(state.globalsGuard))
    return true;
  PyObject *result = PyObject_CallMethod(reinterpret_cast<PyObject *>(self), "_forget", nullptr);
  Py_XDECREF(result);
  return result != nullptr;
}

bool LaunchRequest::bind(PyObject *const *args, size_t count, PyObject *keywords) {
  if (count > state.positional && state.variadic == SIZE_MAX)
    return refuse("too many", nullptr, args[state.positional]);
  size_t all = state.parameters.size(), first = std::min(count, state.variadic);
  std::copy(args, args + first, values);
  std::fill(values + first, values + all, nullptr);
  if (state.variadic != SIZE_MAX) {
    OwnedRef variadicValues(PyTuple_New(static_cast<Py_ssize_t>(count - first)));
    if (!variadicValues)
      return false;
    for (size_t i = first; i < count; ++i)
      PyTuple_SET_ITEM(variadicValues.get(), static_cast<Py_ssize_t>(i - first), Py_NewRef(args[i]));
    values[state.variadic] = variadicValues.get();
    borrowed.objects.push_back(std::move(variadicValues));
  }
  if (keywords && !bindKeywords(args + count, keywords))
    return false;
  for (size_t i = 0; i < all; ++i) {
    if (values[i])
      continue;
    values[i] = state.parameters[i].fallback;
    if (!values[i])
      return refuse("missing", state.parameters[i].name, nullptr);
  }
  return true;
}

bool LaunchRequest::bindKeywords(PyObject *const *args, PyObject *keywords) {
  Py_ssize_t count = PyTuple_GET_SIZE(keywords);
  size_t all = state.parameters.size();
  for (Py_ssize_t k = 0; k < count; ++k) {
    PyObject *name = PyTuple_GET_ITEM(keywords, k);
    size_t at = 0;
    // Names in source code are interned, as are the parameters' names.
    while (at < all && state.parameters[at].name != name)
      ++at;
    if (at == all)
      for (at = 0; at < all && PyUnicode_Compare(state.parameters[at].name, name) != 0;)
        ++at;
    if (at == all)
      return refuse("unknown", name, args[k]);
    if (values[at])
      return refuse("twice", name, args[k]);
    values[at] = args[k];
  }
  return true;
}

/// Returns true if the key contains the value of a parameter's argument. GPU options have no effect on a CPU but are in
/// the key if given, so that Python code refuses the same values as for a GPU.
bool LaunchRequest::isInKey(size_t index) const {
  const Parameter &parameter = state.parameters[index];
  if (parameter.role == Role::GPUOption)
    return device != kCPU || values[index] != parameter.fallback;
  return parameter.role == Role::Constexpr || parameter.role == Role::Option;
}

/// Converts all arguments and computes the key.
bool LaunchRequest::read() {
  for (size_t i = 0; i < state.positional; ++i) {
    if (state.parameters[i].role == Role::Constexpr)
      addConstexpr(values[i]);
    else if (!readOne(i))
      return false;
  }
  if (!chooseDevice())
    return false;
  key[keySize++] = static_cast<uint64_t>(device);
  for (size_t i = state.positional; i < state.parameters.size(); ++i) {
    if (!isInKey(i))
      continue;
    // The index, because on a CPU not all of these options are in the key.
    if (state.parameters[i].role == Role::GPUOption)
      key[keySize++] = i;
    addConstexpr(values[i]);
  }
  return true;
}

bool LaunchRequest::readOne(size_t index) {
  const Parameter &parameter = state.parameters[index];
  if (!readAt(index, parameter.attributeMask))
    return false;
  uint32_t kind = arguments[index].attributes & attribute::kKindMask;
  if (parameter.expected != 'n' && kind != attribute::None && kind != attribute::Constexpr) {
    bool isInteger = kind >= attribute::Int32 && kind <= attribute::Bool;
    bool fits = parameter.expected == 'p'   ? kind == attribute::Tensor
                : parameter.expected == 'i' ? isInteger
                                            : isInteger || kind == attribute::Float;
    if (!fits)
      return refuse("annotation", parameter.name, values[index]);
  }
  return true;
}

/// Returns the key's bits for an object's type, if it is part of the key: its address above the bits of attributes.
uint64_t LaunchRequest::typeBits(PyObject *object) const {
  static_assert(attribute::kFar < 1 << 16, "addresses have 48 bits");
  return state.isKeyedByType ? reinterpret_cast<uint64_t>(Py_TYPE(object)) << 16 : 0;
}

/// Converts an argument, or an element of a tuple, and adds it to the key.
bool LaunchRequest::readAt(size_t index, uint32_t attributeMask) {
  Argument &argument = arguments[index];
  Refusal refusal = readArgument(values[index], argument, borrowed);
  if (refusal == Refusal::Traced) {
    // Only some launchers can be recorded.
    isTraced = isRecordable && findAttribute(launcher(), kRecord);
    if (isTraced)
      return false;
    refusal = readStandIn(values[index], argument, borrowed);
  }
  if (refusal == Refusal::Unreadable)
    return refuseUnreadable(index);
  if (refusal != Refusal::Accepted)
    return refuseArgument(kRefusalNames[static_cast<int>(refusal)], index, values[index]);
  uint32_t kind = argument.attributes & attribute::kKindMask;
  specializations[index] = argument.attributes & attributeMask;
  if (kind == attribute::Tuple)
    return readTuple(values[index], attributeMask);
  if (kind == attribute::Constexpr)
    return readConstant(index);
  key[keySize++] = specializations[index] | typeBits(values[index]);
  if (kind == attribute::Descriptor)
    addBlock(*argument.descriptor);
  if (kind == attribute::Tensor || kind == attribute::Descriptor)
    tensors[tensorCount++] = static_cast<uint16_t>(index);
  return true;
}

/// Adds the shape of a block to the key, after its rank, so that no key is a prefix of another.
void LaunchRequest::addBlock(const Descriptor &descriptor) {
  key[keySize++] = descriptor.rank;
  for (size_t d = 0; d < descriptor.rank; ++d)
    key[keySize++] = static_cast<uint64_t>(descriptor.block[d]);
  if (uint64_t bits = typeBits(descriptor.base))
    key[keySize++] = bits;
}

/// Adds a constant to the key as two words: its kind, and its value or the address of an object that Entry keeps alive.
void LaunchRequest::addConstexpr(PyObject *value) {
  enum : uint64_t { None, Bool, Integer, Float, Object };
  uint64_t kind = Object;
  uint64_t payload = reinterpret_cast<uint64_t>(value);
  if (PyLong_CheckExact(value)) {
    int overflow;
    int64_t number = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow == 0) {
      kind = Integer;
      payload = static_cast<uint64_t>(number);
    }
  } else if (PyBool_Check(value)) {
    kind = Bool;
    payload = value == Py_True;
  } else if (value == Py_None) {
    kind = None;
  } else if (PyFloat_CheckExact(value)) {
    kind = Float;
    double number = PyFloat_AS_DOUBLE(value);
    std::memcpy(&payload, &number, sizeof(payload));
  }
  key[keySize++] = attribute::Constexpr | kind << 8;
  key[keySize++] = payload;
}

/// Returns a dict of the kernel's arguments for a callable grid.
PyObject *LaunchRequest::metaArguments() {
  PyObject *meta = PyDict_New();
  for (size_t i = 0; meta && i < state.positional; ++i)
    if (PyDict_SetItem(meta, state.parameters[i].name, values[i]) < 0)
      Py_CLEAR(meta);
  return meta;
}

bool LaunchRequest::readGridSize(PyObject *object, int64_t &size) {
  if (PyLong_CheckExact(object)) {
    size = PyLong_AsLongLong(object);
  } else if (PyBool_Check(object) || !PyIndex_Check(object)) {
    return false;
  } else {
    PyObject *number = PyNumber_Index(object);
    size = number ? PyLong_AsLongLong(number) : -1;
    Py_XDECREF(number);
  }
  if (PyErr_Occurred() && !clearError())
    throw Raised();
  return size >= 0 && size <= INT32_MAX;
}

/// Reads one to three sizes. Returns false without an exception if they are invalid.
bool LaunchRequest::readGridSizes(PyObject *const *items, Py_ssize_t count) {
  if (count < 1 || count > 3)
    return false;
  programs = 1;
  for (Py_ssize_t d = 0; d < 3; ++d) {
    grid[d] = 1;
    if (d < count && !readGridSize(items[d], grid[d]))
      return false;
  }
  if (grid[0] == 0 || grid[1] == 0 || grid[2] == 0)
    programs = 0;
  else if (__builtin_mul_overflow(grid[0] * grid[1], grid[2], &programs) || programs >= (int64_t(1) << 62))
    return false;
  return true;
}

bool LaunchRequest::readGridTuple(PyObject *object) {
  PyObject *single[] = {object};
  PyObject *const *items = single;
  Py_ssize_t count = 1;
  if (PyTuple_Check(object) || PyList_Check(object)) {
    items = PySequence_Fast_ITEMS(object);
    count = PySequence_Fast_GET_SIZE(object);
  }
  return readGridSizes(items, count) || refuse("grid", nullptr, object);
}

/// Calls the Python method that raises a better error if a callable grid failed because of the launch. Otherwise keeps
/// the error.
void LaunchRequest::explainGrid(PyObject *meta) {
  PyObject *type, *error, *traceback;
  PyErr_Fetch(&type, &error, &traceback);
  PyErr_NormalizeException(&type, &error, &traceback);
  if (traceback)
    PyException_SetTraceback(error, traceback);
  PyObject *result =
      PyObject_CallMethod(reinterpret_cast<PyObject *>(self), "_explain_grid", "OO", meta, error ? error : Py_None);
  if (result) {
    Py_DECREF(result);
    PyErr_Restore(type, error, traceback);
    return;
  }
  Py_XDECREF(type);
  Py_XDECREF(error);
  Py_XDECREF(traceback);
}

bool LaunchRequest::readGrid(PyObject *grid) {
  if (PyTuple_CheckExact(grid) || PyLong_CheckExact(grid) || !PyCallable_Check(grid))
    return readGridTuple(grid);
  OwnedRef meta(metaArguments());
  OwnedRef computed(meta ? PyObject_CallOneArg(grid, meta.get()) : nullptr);
  if (meta && !computed && !isErrorOfProcess())
    explainGrid(meta.get());
  return computed && readGridTuple(computed.get());
}

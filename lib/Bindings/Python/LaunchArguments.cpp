//===- LaunchArguments.cpp - Conversion of a launch's arguments ---------------------------------------------------===//
//
// Each kind of object in LaunchTypes.h has its function.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LaunchArguments.h"

#include "LaunchDescriptor.h"
#include "LaunchDtypes.h"
#include "LaunchMemory.h"
#include "LaunchTypes.h"
#include "TorchTensor.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace blockdsl::python;

const char *const blockdsl::python::kRefusalNames[kRefusals] = {
    "", "type", "device", "dtype", "range", "unreadable", "nothing", "negated", "masked", "nothing", "lazy", "shrunk"};

Borrowed::Borrowed() = default;
Borrowed::~Borrowed() {
  for (Py_buffer &view : buffers)
    PyBuffer_Release(&view);
}

namespace {

/// Created when the module is loaded, so that no launch fails for lack of memory here.
PyObject *name(const char *text) { return PyUnicode_InternFromString(text); }
PyObject *const kBase = name("base"), *const kShape = name("shape"), *const kStride = name("stride"),
                *const kElementSize = name("element_size");

void setTensor(Argument &argument, Dtype dtype, uint64_t address, bool readOnly) {
  argument.memory = Memory::Host;
  argument.device = 0;
  argument.attributes = attribute::Tensor | static_cast<uint32_t>(dtype) << attribute::kDtypeShift |
                        (address % 16 == 0 ? attribute::kDivisibleBy16 : 0) | (readOnly ? attribute::kReadOnly : 0);
  argument.value = address;
}

/// Sets the bytes that the elements span. `strideScale` is the unit of strides in bytes.
template <typename Size>
void setSpan(Argument &argument, int rank, const Size *shape, const Size *strides, int64_t itemSize,
             int64_t strideScale) {
  int64_t below = 0, above = itemSize;
  int64_t dense = itemSize;
  bool isStrided = false;
  for (int d = rank - 1; d >= 0; --d) {
    if (shape[d] == 0) {
      argument.begin = argument.end = argument.value;
      return;
    }
    int64_t stride = strides ? strides[d] * strideScale : dense;
    int64_t reach = static_cast<int64_t>(shape[d] - 1) * stride;
    isStrided |= stride != dense && shape[d] != 1;
    dense *= shape[d];
    (reach < 0 ? below : above) += reach;
  }
  argument.attributes |=
      (isStrided ? attribute::kStrided : 0) | ((above - below - 1) >> 31 >= itemSize ? attribute::kFar : 0);
  argument.begin = argument.value + static_cast<uint64_t>(below);
  argument.end = argument.value + static_cast<uint64_t>(above);
}

bool isOnGPU(dlpack::Device device) { return device.type == dlpack::CUDA || device.type == dlpack::CUDAManaged; }

Refusal setFromDLTensor(const dlpack::Tensor &tensor, bool readOnly, Argument &argument) {
  bool isOnHost = tensor.device.type == dlpack::CPU || tensor.device.type == dlpack::CUDAHost;
  if (!isOnHost && !(isOnGPU(tensor.device) && tensor.device.id >= 0 && tensor.device.id < kMaxGPUs))
    return Refusal::Device;
  Dtype dtype = dtypeOf(tensor.dtype);
  if (dtype == Unsupported)
    return Refusal::Dtype;
  setTensor(argument, dtype, reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset, readOnly);
  auto isEmpty = [&] { return std::find(tensor.shape, tensor.shape + tensor.rank, 0) != tensor.shape + tensor.rank; };
  if ((isOnHost ? isNowhere(argument.value) : argument.value < kNothingBelow) && !isEmpty())
    return Refusal::Nothing;
  int64_t itemSize = tensor.dtype.bits / 8;
  setSpan(argument, tensor.rank, tensor.shape, tensor.strides, itemSize, itemSize);
  if (!isOnHost) {
    argument.begin = argument.end = 0;
    argument.memory = tensor.device.type == dlpack::CUDA ? Memory::Device : Memory::Managed;
    argument.device = static_cast<int16_t>(tensor.device.id);
    return Refusal::Accepted;
  }
  argument.memory = tensor.device.type == dlpack::CPU ? Memory::Host : Memory::Pinned;
  return Refusal::Accepted;
}

Refusal readBuffer(PyObject *object, Argument &argument, Borrowed &borrowed) {
  Py_buffer &view = borrowed.buffers.emplace_back();
  if (PyObject_GetBuffer(object, &view, PyBUF_STRIDES | PyBUF_FORMAT) < 0)
    return Refusal::Unreadable;
  Dtype dtype = dtypeOf(view.format, view.itemsize);
  if (dtype == Unsupported)
    return Refusal::Dtype;
  setTensor(argument, dtype, reinterpret_cast<uint64_t>(view.buf), view.readonly);
  setSpan(argument, view.ndim, view.shape, view.strides, view.itemsize, 1);
  return Refusal::Accepted;
}

/// Returns the keywords for `__dlpack__`: the supported version and, for GPU memory, the stream of the launch.
PyObject *capsuleOptions(PyObject *object) {
  PyObject *device = PyObject_CallMethod(object, "__dlpack_device__", nullptr);
  int type = dlpack::CPU, id = 0;
  bool isKnown = device && PyTuple_Check(device) && PyArg_ParseTuple(device, "ii", &type, &id);
  Py_XDECREF(device);
  if (!isKnown && !clearError())
    return nullptr;
  if (!isOnGPU({static_cast<dlpack::DeviceType>(type), id}))
    return Py_BuildValue("{s(ii)}", "max_version", 1, 0);
  void *stream;
  if (!currentStream(object, id, stream))
    return nullptr;
  // DLPack's name for the legacy stream is 1, because 0 could mean either default stream.
  auto number = static_cast<unsigned long long>(stream ? reinterpret_cast<uintptr_t>(stream) : 1);
  return Py_BuildValue("{s(ii)sK}", "max_version", 1, 0, "stream", number);
}

/// Calls `__dlpack__`, without the version for producers that do not accept it.
PyObject *callForCapsule(PyObject *object) {
  OwnedRef none(PyTuple_New(0)), method(none ? PyObject_GetAttrString(object, "__dlpack__") : nullptr);
  OwnedRef keywords(method ? capsuleOptions(object) : nullptr);
  PyObject *capsule = keywords ? PyObject_Call(method.get(), none.get(), keywords.get()) : nullptr;
  if (!capsule && keywords && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    PyDict_DelItemString(keywords.get(), "max_version");
    capsule = PyObject_Call(method.get(), none.get(), keywords.get());
  }
  return capsule;
}

PyObject *makeCapsule(PyObject *object) {
  PyObject *capsule = callForCapsule(object);
  if (capsule || !PyErr_ExceptionMatches(PyExc_BufferError) || !PyObject_HasAttrString(object, "detach"))
    return capsule;
  // torch before 2.10 does not export tensors that require a gradient. Stores to them are not differentiated.
  PyErr_Clear();
  PyObject *detached = PyObject_CallMethod(object, "detach", nullptr);
  capsule = detached ? callForCapsule(detached) : nullptr;
  Py_XDECREF(detached);
  return capsule;
}

/// Converts an object through a DLPack capsule, of version 1 if possible, which tells whether memory is read-only.
Refusal readCapsule(PyObject *object, Argument &argument, Borrowed &borrowed) {
  PyObject *capsule = makeCapsule(object);
  if (!capsule)
    return Refusal::Unreadable;
  // Not renamed to "used": the capsule's destructor releases the memory after the launch.
  borrowed.objects.push_back(OwnedRef(capsule));
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    auto *versioned =
        static_cast<dlpack::ManagedTensorVersioned *>(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    if (versioned->version.major == 1)
      return setFromDLTensor(versioned->tensor, versioned->flags & dlpack::kReadOnly, argument);
    PyErr_Format(PyExc_BufferError, "DLPack version %u is not known here", versioned->version.major);
    return Refusal::Unreadable;
  }
  void *managed = PyCapsule_GetPointer(capsule, "dltensor");
  if (!managed)
    return Refusal::Unreadable;
  return setFromDLTensor(static_cast<dlpack::ManagedTensor *>(managed)->tensor, false, argument);
}

/// Returns the text of an attribute; empty with an exception set if the object has none.
std::string textOf(PyObject *object, const char *name) {
  OwnedRef value(PyObject_GetAttrString(object, name));
  OwnedRef text(value ? PyObject_Str(value.get()) : nullptr);
  const char *letters = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
  return letters ? letters : "";
}

/// Reads the integers of a sequence and releases it. Returns false, maybe with an exception set, for any other object.
bool takeNumbers(PyObject *sequence, std::vector<int64_t> &numbers) {
  OwnedRef owner(sequence), items(sequence ? PySequence_Fast(sequence, "") : nullptr);
  for (Py_ssize_t i = 0; items && i < PySequence_Fast_GET_SIZE(items.get()) && !PyErr_Occurred(); ++i)
    numbers.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(items.get(), i)));
  return !PyErr_Occurred();
}

/// Returns true if elements of this shape, with these strides and of this size, fit in memory.
bool fitsMemory(const std::vector<int64_t> &shape, const std::vector<int64_t> &strides, int64_t size) {
  constexpr size_t kMaxRank = 64;
  constexpr int64_t kFarthest = int64_t(1) << 56;
  if (shape.size() != strides.size() || shape.size() > kMaxRank)
    return false;
  int64_t bytes = size, reach;
  for (size_t d = shape.size(); d-- > 0;)
    if (shape[d] < 0 || __builtin_mul_overflow(bytes, shape[d], &bytes) ||
        __builtin_mul_overflow(shape[d], strides[d], &reach) || __builtin_mul_overflow(reach, size, &reach) ||
        reach > kFarthest || reach < -kFarthest)
      return false;
  return true;
}

/// Sets the bytes that an object spans if it has the methods of tensors for shape, strides and element size and their
/// values are valid; otherwise all host memory. Returns false with an exception set on failure.
bool setSpanFromMethods(PyObject *object, Argument &argument) {
  std::vector<int64_t> shape, strides;
  PyObject *elementSize = PyObject_CallMethodNoArgs(object, kElementSize);
  // For a reinterpreted tensor, shape and strides may count elements of either type.
  int64_t size = std::max<int64_t>(elementSize ? PyLong_AsLongLong(elementSize) : 0, itemSize(argument));
  Py_XDECREF(elementSize);
  bool isKnown = !PyErr_Occurred() && takeNumbers(PyObject_GetAttr(object, kShape), shape) &&
                 takeNumbers(PyObject_CallMethodNoArgs(object, kStride), strides) && fitsMemory(shape, strides, size);
  if (!clearError())
    return false;
  if (isKnown)
    setSpan(argument, static_cast<int>(shape.size()), shape.data(), strides.data(), size, size);
  if (isKnown && argument.begin <= argument.value && argument.value <= argument.end)
    return true;
  argument.begin = 0;
  argument.end = kAnywhere;
  return true;
}

/// Refuses an object with an address, such as a reinterpreted tensor, if the underlying tensor of torch's is refused
/// for another reason than its element type, which is what the view changes.
Refusal checkBase(PyObject *object, Argument &argument, Borrowed &borrowed) {
  PyObject *base = tensorBehind(object, borrowed);
  Refusal refusal = base ? readArgument(base, argument, borrowed) : Refusal::Accepted;
  return refusal == Refusal::Dtype || refusal == Refusal::Traced ? Refusal::Accepted : refusal;
}

/// Converts an object with an address and an element type: a custom view of a library, or a reinterpreted tensor.
Refusal readPointer(PyObject *object, Argument &argument, Borrowed &borrowed) {
  if (Refusal refusal = checkBase(object, argument, borrowed); refusal != Refusal::Accepted)
    return refusal;
  argument.begin = argument.end = 0;
  PyObject *number = PyObject_CallMethod(object, "data_ptr", nullptr);
  uint64_t address = number ? PyLong_AsUnsignedLongLong(number) : 0;
  Py_XDECREF(number);
  std::string element = PyErr_Occurred() ? "" : textOf(object, "dtype");
  if (PyErr_Occurred())
    return Refusal::Unreadable;
  Dtype dtype = dtypeNamed(element);
  if (dtype == Unsupported)
    return Refusal::Dtype;
  setTensor(argument, dtype, address, false);
  std::string device = textOf(object, "device");
  if (!clearError()) // Without the attribute the object is in host memory.
    return Refusal::Unreadable;
  if (device.compare(0, 4, "cuda") == 0) {
    int number = device.size() > 5 ? std::atoi(device.c_str() + 5) : 0;
    argument.memory = Memory::Device;
    argument.device = static_cast<int16_t>(number);
    return number < kMaxGPUs ? Refusal::Accepted : Refusal::Device;
  }
  if (!device.empty() && device.compare(0, 3, "cpu") != 0)
    return Refusal::Device;
  if (!setSpanFromMethods(object, argument))
    return Refusal::Unreadable;
  bool hasElements = argument.begin < argument.end && argument.end != kAnywhere;
  return hasElements && isNowhere(address) ? Refusal::Nothing : Refusal::Accepted;
}

Refusal readInteger(PyObject *object, Argument &argument) {
  int overflow;
  int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  argument.attributes = value == static_cast<int32_t>(value) ? attribute::Int32 : attribute::Int64;
  argument.value = static_cast<uint64_t>(value);
  if (overflow != 0) {
    argument.value = PyLong_AsUnsignedLongLong(object);
    argument.attributes = attribute::UInt64;
    if (PyErr_Occurred())
      return clearError() ? Refusal::Range : Refusal::Unreadable;
  }
  argument.attributes |=
      (argument.value % 16 == 0 ? attribute::kDivisibleBy16 : 0) | (value == 1 ? attribute::kEqualToOne : 0);
  return Refusal::Accepted;
}

void setFloat(double value, Argument &argument) {
  argument.attributes = attribute::Float;
  std::memcpy(&argument.value, &value, sizeof(value));
}

/// Converts the Python number of an object and releases it.
Refusal readNumber(PyObject *number, Argument &argument, Borrowed &borrowed) {
  if (!number)
    return Refusal::Unreadable;
  OwnedRef owner(number);
  bool isNumber = PyLong_Check(number) || PyFloat_Check(number);
  return isNumber ? readArgument(number, argument, borrowed) : Refusal::Dtype;
}

Refusal setKind(Argument &argument, uint32_t kind) {
  argument.attributes = kind;
  argument.value = 0;
  return Refusal::Accepted;
}

} // namespace

int64_t blockdsl::python::itemSize(const Argument &argument) {
  return sizeOf(static_cast<Dtype>((argument.attributes & attribute::kDtypeMask) >> attribute::kDtypeShift));
}

PyObject *blockdsl::python::tensorBehind(PyObject *object, Borrowed &borrowed) {
  const KnownType &known = knownType(Py_TYPE(object));
  if (known.isTorch)
    return object;
  OwnedRef found = known.protocol == Protocol::Pointer ? findAttribute(object, kBase) : nullptr;
  if (!found)
    return nullptr;
  PyObject *base = found.get();
  borrowed.objects.push_back(std::move(found));
  return knownType(Py_TYPE(base)).isTorch ? base : nullptr;
}

Refusal blockdsl::python::readStandIn(PyObject *object, Argument &argument, Borrowed &borrowed) {
  const KnownType &known = knownType(Py_TYPE(object));
  // For instance a fake tensor in a descriptor.
  if (known.protocol != Protocol::Traced)
    return Refusal::Nothing;
  const dlpack::ExchangeAPI *exchange = known.exchange;
  if (!exchange)
    return readCapsule(object, argument, borrowed);
  dlpack::Tensor tensor;
  if (exchange->tensorFromObject(object, &tensor) != 0)
    return Refusal::Unreadable;
  return setFromDLTensor(tensor, false, argument);
}

Refusal blockdsl::python::readArgument(PyObject *object, Argument &argument, Borrowed &borrowed) {
  argument.begin = argument.end = 0;
  argument.isTorch = false;
  if (PyLong_CheckExact(object))
    return readInteger(object, argument);
  const KnownType &known = knownType(Py_TYPE(object));
  if (known.protocol == Protocol::Exchange) {
    dlpack::Tensor tensor;
    if (known.exchange->tensorFromObject(object, &tensor) != 0)
      return Refusal::Unreadable;
    argument.isTorch = known.isTorch;
    Refusal refusal = setFromDLTensor(tensor, false, argument);
    return known.isTorch && refusal == Refusal::Accepted ? checkTorchTensor(object, argument) : refusal;
  }
  if (PyFloat_Check(object)) {
    setFloat(PyFloat_AS_DOUBLE(object), argument);
    return Refusal::Accepted;
  }
  if (object == Py_None)
    return setKind(argument, attribute::None);
  if (PyBool_Check(object)) {
    argument.attributes = attribute::Bool;
    argument.value = object == Py_True;
    return Refusal::Accepted;
  }
  switch (known.protocol) {
  case Protocol::NumPyScalar:
    return readNumber(PyObject_CallMethod(object, "item", nullptr), argument, borrowed);
  case Protocol::Buffer:
    return readBuffer(object, argument, borrowed);
  case Protocol::Capsule: {
    argument.isTorch = known.isTorch;
    Refusal refusal = readCapsule(object, argument, borrowed);
    return argument.isTorch && refusal == Refusal::Accepted ? checkTorchTensor(object, argument) : refusal;
  }
  case Protocol::Pointer:
    return readPointer(object, argument, borrowed);
  case Protocol::Index:
    return readNumber(PyNumber_Index(object), argument, borrowed);
  case Protocol::Tuple:
    return setKind(argument, attribute::Tuple);
  case Protocol::Constant:
    return setKind(argument, attribute::Constexpr);
  case Protocol::Masked:
    return Refusal::Masked;
  case Protocol::Traced:
    return Refusal::Traced;
  case Protocol::Lazy:
    return Refusal::Lazy;
  default:
    return readDescriptor(object, argument, borrowed);
  }
}

//===- LaunchDescriptor.cpp - Conversion of tensor descriptors ----------------------------------------------------===//

#include "LaunchDescriptor.h"

#include "LaunchDtypes.h"

using namespace blockdsl::python;

namespace {

/// Creates a name when the module is loaded, so that no launch fails for lack of memory here.
PyObject *interned(const char *name) { return PyUnicode_InternFromString(name); }
PyObject *const kPadding = interned("padding"), *const kRounded = interned("round_f32_to_tf32"),
                *const kBlock = interned("block_shape"), *const kBase = interned("base"),
                *const kShape = interned("shape"), *const kStrides = interned("strides");

/// Reads the integers of an attribute, at most `kMaxRank`. Returns their number; 0 with an exception set if it is
/// invalid.
size_t readSizes(PyObject *object, PyObject *name, int64_t *sizes) {
  PyObject *value = PyObject_GetAttr(object, name);
  PyObject *items = value ? PySequence_Fast(value, "a tensor descriptor has sequences of sizes") : nullptr;
  Py_XDECREF(value);
  if (!items)
    return 0;
  auto count = static_cast<size_t>(PySequence_Fast_GET_SIZE(items));
  for (size_t i = 0; i < count && i < Descriptor::kMaxRank; ++i) {
    PyObject *number = PyNumber_Index(PySequence_Fast_GET_ITEM(items, static_cast<Py_ssize_t>(i)));
    sizes[i] = number ? PyLong_AsLongLong(number) : 0;
    Py_XDECREF(number);
  }
  Py_DECREF(items);
  if (!PyErr_Occurred() && (count == 0 || count > Descriptor::kMaxRank))
    PyErr_Format(PyExc_ValueError, "%U has %zu entries, and a tensor descriptor 1 to 5", name, count);
  return PyErr_Occurred() ? 0 : count;
}

/// Reads the padding of loads outside of the array, whose elements are of type `dtype`.
bool readPadding(PyObject *object, Dtype dtype, Descriptor &descriptor) {
  PyObject *word = PyObject_GetAttr(object, kPadding);
  if (!word)
    return false;
  auto is = [&](const char *text) {
    return PyUnicode_Check(word) && PyUnicode_CompareWithASCIIString(word, text) == 0;
  };
  descriptor.isPaddedWithNaN = is("nan");
  if (!descriptor.isPaddedWithNaN && !is("zero"))
    PyErr_Format(PyExc_ValueError, "padding is %R, and has to be 'zero' or 'nan'", word);
  else if (descriptor.isPaddedWithNaN && dtype < F16)
    PyErr_Format(PyExc_ValueError, "padding is 'nan', which only floats can be, and the elements are %s",
                 kDtypeNames[dtype]);
  Py_DECREF(word);
  if (PyErr_Occurred())
    return false;
  PyObject *flag = PyObject_GetAttr(object, kRounded);
  if (!flag && !clearError()) // Triton has it since 3.9.
    return false;
  descriptor.isRounded = flag && PyObject_IsTrue(flag) == 1;
  Py_XDECREF(flag);
  return true;
}

/// Checks the properties that the launcher relies on. The descriptor's class checks more when it is constructed.
bool check(const Descriptor &descriptor, size_t strides, size_t block) {
  if (strides != descriptor.rank || block != descriptor.rank) {
    PyErr_Format(PyExc_ValueError, "shape, strides and block_shape have %zu, %zu and %zu entries", descriptor.rank,
                 strides, block);
    return false;
  }
  if (descriptor.strides[descriptor.rank - 1] != 1) {
    PyErr_Format(PyExc_ValueError, "the last stride is %lld, and has to be 1",
                 static_cast<long long>(descriptor.strides[descriptor.rank - 1]));
    return false;
  }
  for (size_t d = 0; d < descriptor.rank; ++d) {
    if (descriptor.shape[d] < 0 || descriptor.shape[d] > INT32_MAX) {
      PyErr_Format(PyExc_ValueError, "shape has an entry of %lld, and 32 bits count up to 2147483647",
                   static_cast<long long>(descriptor.shape[d]));
      return false;
    }
  }
  return true;
}

/// Sets the bytes from the base to the end of the described array. The base itself may have another shape.
void setSpan(Argument &argument, const Descriptor &descriptor) {
  int64_t below = 0, above = 1;
  for (size_t d = 0; d < descriptor.rank; ++d) {
    if (descriptor.shape[d] == 0) {
      argument.begin = argument.end = argument.value;
      return;
    }
    int64_t reach = (descriptor.shape[d] - 1) * descriptor.strides[d];
    (reach < 0 ? below : above) += reach;
  }
  int64_t size = itemSize(argument);
  argument.begin = argument.value + static_cast<uint64_t>(below * size);
  argument.end = argument.value + static_cast<uint64_t>(above * size);
}

} // namespace

Refusal blockdsl::python::readDescriptor(PyObject *object, Argument &argument, Borrowed &borrowed) {
  if (!findAttribute(object, kBlock))
    return Refusal::Type;
  OwnedRef found = findAttribute(object, kBase);
  if (!found)
    return Refusal::Type;
  PyObject *base = found.get();
  borrowed.objects.push_back(std::move(found));
  Refusal refusal = readArgument(base, argument, borrowed);
  if (refusal != Refusal::Accepted)
    return refusal;
  if ((argument.attributes & attribute::kKindMask) != attribute::Tensor)
    return Refusal::Type;
  auto descriptor = std::make_unique<Descriptor>();
  descriptor->base = base;
  descriptor->begin = argument.begin;
  descriptor->end = argument.end;
  descriptor->rank = readSizes(object, kShape, descriptor->shape);
  size_t strides = descriptor->rank ? readSizes(object, kStrides, descriptor->strides) : 0;
  size_t block = strides ? readSizes(object, kBlock, descriptor->block) : 0;
  auto dtype = static_cast<Dtype>((argument.attributes & attribute::kDtypeMask) >> attribute::kDtypeShift);
  if (block == 0 || !check(*descriptor, strides, block) || !readPadding(object, dtype, *descriptor))
    return Refusal::Unreadable;
  argument.attributes = (argument.attributes & ~(attribute::kKindMask | attribute::kStrided | attribute::kFar)) |
                        attribute::Descriptor | (descriptor->isPaddedWithNaN ? attribute::kPaddedWithNaN : 0);
  if (argument.memory == Memory::Host || argument.memory == Memory::Pinned)
    setSpan(argument, *descriptor);
  argument.descriptor = descriptor.get();
  borrowed.descriptors.push_back(std::move(descriptor));
  return Refusal::Accepted;
}

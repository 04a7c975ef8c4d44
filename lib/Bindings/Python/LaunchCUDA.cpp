//===- LaunchCUDA.cpp - Kernels for GPUs --------------------------------------------------------------------------===//
//
// The Python type `_runtime.CUDAKernel`: a cubin with its properties from Triton's compiler, launched on the current
// stream of the arguments' library. lib/Runtime/CUDAKernel.cpp loads and launches it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "GILReleased.h"
#include "LaunchDescriptor.h"
#include "LaunchRequest.h"

#include "blockdsl/Runtime/CUDATensorMap.h"

using namespace blockdsl::python;
using namespace blockdsl::runtime;

namespace {

constexpr uint32_t kThreadsPerWarp = 32;
static_assert(kMaxGPUs <= cuda::kMaxDevices);

struct CUDAKernel : KernelState {
  explicit CUDAKernel(cuda::KernelImage image) : kernel(std::move(image)) {}
  bool isFor(int device) const override { return device != kCPU; }
  bool run(LaunchRequest &request, PyObject *self) override;

  cuda::Failure pack(const LaunchRequest &request, const cuda::LoadedKernel &loaded, uint64_t *packed,
                     std::vector<cuda::TensorMap> &maps, void **parameters) const;

  cuda::Kernel kernel;
  /// Requests of the slots that take a tensor map, in order.
  std::vector<cuda::TensorMapRequest> requests;
};

cuda::DescribedArray describe(const Argument &argument) {
  const Descriptor &descriptor = *argument.descriptor;
  return {argument.value,      descriptor.rank, descriptor.shape, descriptor.strides, descriptor.isPaddedWithNaN,
          descriptor.isRounded};
}

/// Points `parameters` to their values in `packed`, or in `maps` for tensor maps.
cuda::Failure CUDAKernel::pack(const LaunchRequest &request, const cuda::LoadedKernel &loaded, uint64_t *packed,
                               std::vector<cuda::TensorMap> &maps, void **parameters) const {
  for (size_t i = 0; i < slots.size(); ++i) {
    const Argument &argument = request.arguments[slots[i].parameter];
    if (slots[i].encoding != Encoding::TensorMap) {
      packed[i] = encode(slots[i], argument);
      // The driver copies as many bytes as the cubin states. Parameters wider than a slot are stored in `maps`.
      parameters[i] = &packed[i];
      continue;
    }
    cuda::TensorMap &map = maps.emplace_back();
    if (cuda::Failure failure = cuda::encode(loaded, requests[maps.size() - 1], describe(argument), map))
      return failure;
    parameters[i] = &map;
  }
  return {};
}

bool CUDAKernel::run(LaunchRequest &request, PyObject *) {
  stayOutIfEnding();
  void *current;
  if (!request.currentStream(current))
    return false;
  auto stream = static_cast<cuda::Stream>(current);

  void **const parameters = request.buffers->pointers;
  std::vector<cuda::TensorMap> maps;
  maps.reserve(requests.size()); // Keeps their addresses valid.

  cuda::Failure failure;
  {
    // The driver blocks if many launches are queued.
    GILReleased released;
    released.release();
    cuda::LoadedKernel *loaded = kernel.on(request.device);
    if (!loaded) {
      failure = kernel.load(request.device, stream);
      loaded = kernel.on(request.device);
    }
    if (!failure)
      failure = pack(request, *loaded, request.buffers->packed, maps, parameters);
    if (!failure)
      failure = kernel.launch(*loaded, request.grid, parameters, slots.size(), stream);
  }
  return failure ? request.refuseFailure(failure) : true;
}

//===--------------------------------------------------------------------------------------------------------------===//
// The Python type
//===--------------------------------------------------------------------------------------------------------------===//

bool isScratch(const cuda::ScratchRequest &request) {
  return request.bytes >= 0 && request.alignment > 0 && (request.alignment & (request.alignment - 1)) == 0;
}

/// Reads (swizzle, element size, element type, whether it is padded fp4, box) of each tensor map.
bool parseRequests(PyObject *sequence, std::vector<cuda::TensorMapRequest> &requests) {
  PyObject *items = PySequence_Fast(sequence, "tensor_maps is a sequence of requests");
  if (!items)
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items) && !PyErr_Occurred(); ++i) {
    cuda::TensorMapRequest request;
    int isPadded;
    PyObject *box;
    if (!PyArg_ParseTuple(PySequence_Fast_GET_ITEM(items, i), "iiipO!", &request.swizzle, &request.elementBytes,
                          &request.elementType, &isPadded, &PyTuple_Type, &box))
      break;
    request.isPaddedFp4 = isPadded;
    for (Py_ssize_t d = 0; d < PyTuple_GET_SIZE(box); ++d)
      request.box.push_back(static_cast<uint32_t>(PyLong_AsUnsignedLong(PyTuple_GET_ITEM(box, d))));
    requests.push_back(std::move(request));
  }
  Py_DECREF(items);
  return !PyErr_Occurred();
}

/// Returns true if there is a request for each slot that takes a tensor map.
bool checkRequests(const CUDAKernel &state) {
  size_t tensorMaps = 0;
  for (Slot slot : state.slots)
    tensorMaps += slot.encoding == Encoding::TensorMap;
  if (tensorMaps == state.requests.size())
    return true;
  PyErr_Format(PyExc_ValueError, "%zu slots take a tensor map, and there are %zu requests", tensorMaps,
               state.requests.size());
  return false;
}

int initKernel(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"cubin",      "name",         "slots",          "num_warps",
                                "num_ctas",   "shared_bytes", "global_scratch", "profile_scratch",
                                "launch_pdl", "cooperative",  "tensor_maps",    nullptr};
  const char *cubin, *name;
  Py_ssize_t size;
  PyObject *slots, *requests = nullptr;
  int warps, blocks, shared, startsEarly, isCooperative;
  cuda::KernelImage image;
  static_assert(sizeof(image.globalScratch.bytes) == sizeof(long long));
  long long global[2], profile[2];
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "y#sOiii(LL)(LL)pp|O:CUDAKernel", const_cast<char **>(names), &cubin,
                                   &size, &name, &slots, &warps, &blocks, &shared, &global[0], &global[1], &profile[0],
                                   &profile[1], &startsEarly, &isCooperative, &requests))
    return -1;
  image.globalScratch = {global[0], global[1]};
  image.profileScratch = {profile[0], profile[1]};
  if (warps < 1 || blocks < 1 || shared < 0 || !isScratch(image.globalScratch) || !isScratch(image.profileScratch)) {
    PyErr_SetString(PyExc_ValueError, "a kernel has one warp and one block at least, no negative sizes, and alignments "
                                      "that are powers of two");
    return -1;
  }
  image.cubin.assign(cubin, static_cast<size_t>(size));
  image.name = name;
  image.threads = kThreadsPerWarp * static_cast<uint32_t>(warps);
  image.blocksPerProgram = static_cast<uint32_t>(blocks);
  image.sharedBytes = static_cast<uint32_t>(shared);
  image.startsEarly = startsEarly;
  image.isCooperative = isCooperative;
  auto state = std::make_unique<CUDAKernel>(std::move(image));
  if (!parseSlots(slots, state->slots) || (requests && !parseRequests(requests, state->requests)) ||
      !checkRequests(*state))
    return -1;
  return adopt(self, std::move(state));
}

/// Loads the kernel on a device. Returns its properties from the driver, or a failure.
PyObject *load(PyObject *self, PyObject *args) {
  int device;
  unsigned long long stream;
  if (!PyArg_ParseTuple(args, "iK:load", &device, &stream))
    return nullptr;
  auto *state = static_cast<CUDAKernel *>(reinterpret_cast<KernelObject *>(self)->state);
  if (!state || device < 0 || device >= kMaxGPUs) {
    PyErr_SetString(PyExc_ValueError, "a kernel is loaded on a GPU, by its number");
    return nullptr;
  }
  stayOutIfEnding();
  cuda::Failure failure;
  {
    GILReleased released;
    released.release();
    failure = state->kernel.load(device, reinterpret_cast<cuda::Stream>(stream));
  }
  if (failure)
    return describeFailure(failure, device);
  const cuda::LoadedKernel &loaded = *state->kernel.on(device);
  return Py_BuildValue("(iii)", loaded.registers, loaded.localBytes, loaded.maxThreads);
}

PyMethodDef kernelMethods[] = {
    {"load", guarded<load>, METH_VARARGS,
     "load(device, stream): registers and bytes of local memory a thread has, and the most threads of a block, on a "
     "GPU; or (kind, details) of what went wrong."},
    {nullptr, nullptr, 0, nullptr},
};

PyType_Slot kernelSlots[] = {
    {Py_tp_doc,
     const_cast<char *>("CUDAKernel(cubin, name, slots, num_warps, num_ctas, shared_bytes, global_scratch, "
                        "profile_scratch, launch_pdl, cooperative, tensor_maps=()): compiled code, loaded where it is "
                        "launched.")},
    {Py_tp_new, reinterpret_cast<void *>(PyType_GenericNew)},
    {Py_tp_init, reinterpret_cast<void *>(guarded<initKernel>)},
    {Py_tp_methods, kernelMethods},
    {0, nullptr},
};

PyType_Spec kernelSpec = {"blockdsl._runtime.CUDAKernel", sizeof(KernelObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, kernelSlots};

} // namespace

PyTypeObject *blockdsl::python::cudaKernelType() {
  static PyObject *type = PyType_FromSpecWithBases(&kernelSpec, reinterpret_cast<PyObject *>(anyKernelType()));
  return reinterpret_cast<PyTypeObject *>(type);
}

//===- LaunchCUDA.cpp - Kernels for GPUs --------------------------------------------------------------------------===//
//
// The Python type `_runtime.CUDAKernel`: a cubin with what Triton's compiler says of it, launched on the stream that is
// current where the arguments come from. How it is loaded and launched is in lib/Runtime/CUDAKernel.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "LaunchCall.h"

#include "blockdsl/Runtime/CUDAKernel.h"

using namespace blockdsl::python;
using namespace blockdsl::runtime;

namespace {

constexpr uint32_t kThreadsPerWarp = 32;
static_assert(kMaxGPUs <= cuda::kMaxDevices);

struct CUDAKernel : KernelState {
  explicit CUDAKernel(cuda::KernelImage image) : kernel(std::move(image)) {}
  bool isFor(int device) const override { return device != kCPU; }
  bool run(Call &call, PyObject *self) override;

  cuda::Kernel kernel;
};

/// While it lives, other Python threads run: the driver waits where many launches are queued already.
class Unlocked {
public:
  Unlocked() : thread(PyEval_SaveThread()) {}
  ~Unlocked() { PyEval_RestoreThread(thread); }
  Unlocked(const Unlocked &) = delete;
  Unlocked &operator=(const Unlocked &) = delete;

private:
  PyThreadState *thread;
};

bool CUDAKernel::run(Call &call, PyObject *) {
  void *current;
  if (!call.currentStream(current))
    return false;
  auto stream = static_cast<cuda::Stream>(current);

  uint64_t packed[kMaxParameters];
  void *parameters[kMaxParameters + 2];
  size_t count = slots.size();
  for (size_t i = 0; i < count; ++i) {
    packed[i] = encode(slots[i], call.arguments[slots[i].parameter]);
    // The driver copies as much as the cubin says: an argument wider than a slot would need but a place of its own.
    parameters[i] = &packed[i];
  }

  cuda::Failure failure;
  {
    Unlocked unlocked;
    cuda::LoadedKernel *loaded = kernel.on(call.device);
    if (!loaded) {
      failure = kernel.load(call.device, stream);
      loaded = kernel.on(call.device);
    }
    if (!failure)
      failure = kernel.launch(*loaded, call.grid, parameters, count, stream);
  }
  return failure ? call.refuseFailure(failure) : true;
}

//===--------------------------------------------------------------------------------------------------------------===//
// The Python type
//===--------------------------------------------------------------------------------------------------------------===//

bool isScratch(const cuda::ScratchRequest &request) {
  return request.bytes >= 0 && request.alignment > 0 && (request.alignment & (request.alignment - 1)) == 0;
}

int initKernel(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"cubin",      "name",         "slots",          "num_warps",
                                "num_ctas",   "shared_bytes", "global_scratch", "profile_scratch",
                                "launch_pdl", "cooperative",  nullptr};
  const char *cubin, *name;
  Py_ssize_t size;
  PyObject *slots;
  int warps, blocks, shared, startsEarly, isCooperative;
  cuda::KernelImage image;
  static_assert(sizeof(image.globalScratch.bytes) == sizeof(long long));
  long long global[2], profile[2];
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "y#sOiii(LL)(LL)pp:CUDAKernel", const_cast<char **>(names), &cubin,
                                   &size, &name, &slots, &warps, &blocks, &shared, &global[0], &global[1], &profile[0],
                                   &profile[1], &startsEarly, &isCooperative))
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
  return parseSlots(slots, state->slots) ? adopt(self, std::move(state)) : -1;
}

PyType_Slot kernelSlots[] = {
    {Py_tp_doc,
     const_cast<char *>("CUDAKernel(cubin, name, slots, num_warps, num_ctas, shared_bytes, global_scratch, "
                        "profile_scratch, launch_pdl, cooperative): compiled code, loaded where it is launched.")},
    {Py_tp_new, reinterpret_cast<void *>(PyType_GenericNew)},
    {Py_tp_init, reinterpret_cast<void *>(initKernel)},
    {0, nullptr},
};

PyType_Spec kernelSpec = {"blockdsl._runtime.CUDAKernel", sizeof(KernelObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, kernelSlots};

} // namespace

PyTypeObject *blockdsl::python::cudaKernelType() {
  static PyObject *type = PyType_FromSpecWithBases(&kernelSpec, reinterpret_cast<PyObject *>(anyKernelType()));
  return reinterpret_cast<PyTypeObject *>(type);
}

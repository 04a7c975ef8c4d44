//===- LaunchCPU.cpp - Kernels for the CPU ------------------------------------------------------------------------===//
//
// The Python type `_runtime.Kernel`: machine code, its estimated cost, and launches on the CPU's threads.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "FaultReport.h"
#include "GILReleased.h"
#include "LaunchAccesses.h"

#include "blockdsl/Runtime/Interruption.h"
#include "blockdsl/Runtime/ObjectCode.h"
#include "blockdsl/Runtime/ParallelFor.h"
#include "blockdsl/Runtime/RunningLaunch.h"

#include <exception>
#include <optional>

using namespace blockdsl::python;
using namespace blockdsl::runtime;

namespace {

struct CPUKernel : KernelState {
  bool isFor(int device) const override { return device == kCPU; }
  bool run(LaunchRequest &request, PyObject *self) override;

  /// The kernel's name, and its file and line, for reports.
  std::string name, place;
  std::unique_ptr<ObjectCode> code;
  /// Null if the kernel's accesses are unknown.
  std::unique_ptr<LaunchAccesses> accesses;
  KernelFunction function = nullptr;
  size_t scratchBytes = 0;
  /// Whether its loops read the poll word.
  bool polls = true;
  /// Whether its programs may wait for each other.
  bool waits = false;
  /// Whether launches run on one thread only, because programs access the same memory without locks.
  bool isSequential = false;
  CostEstimate cost;
};

/// State of the interrupt check of a running launch. A launch that is estimated to be small holds the GIL; it is
/// released at the first check, so that other Python threads can run.
struct Running {
  GILReleased released;
  std::optional<Interruptible> interruptible;

  void release() {
    if (interruptible)
      interruptible->letOthersRun();
    released.release();
  }
  static bool interrupted(void *self) {
    RunningLaunch none(nullptr); // Signal handlers are not part of the kernel.
    auto &running = *static_cast<Running *>(self);
    if (!running.released.tryAcquire())
      return true;
    bool raised = PyErr_CheckSignals() != 0;
    running.release();
    return raised;
  }
};

/// Raises an error directly, because the launcher's refusals are for launches that have not started.
bool raiseLackOfThreads(const std::string &kernel) {
  OwnedRef errors(PyImport_ImportModule("blockdsl.errors"));
  OwnedRef type(errors ? PyObject_GetAttrString(errors.get(), "OutOfResourcesError") : nullptr);
  if (type)
    PyErr_Format(type.get(),
                 "programs of kernel '%s' wait for one that has not begun, and the system starts no further thread for "
                 "it: all threads of the launch have waited for a second",
                 kernel.c_str());
  return false;
}

/// Runs the programs of a launch on the current stack.
struct Execution {
  Work &work;
  Running &running;
  bool isSequential;
  Outcome outcome;
  std::exception_ptr error;

  void run() noexcept {
    try {
      outcome = runPrograms();
    } catch (const std::exception &) {
      error = std::current_exception();
    }
  }

private:
  Outcome runPrograms() {
    std::optional<RunningLaunch> launch(work.context);
    int64_t finished = runSmall(work);
    if (finished >= work.programs)
      return work.context->isStopped() ? Outcome::Interrupted : Outcome::Finished;
    launch.reset();
    if (isSequential)
      return parallelFor(work, finished);
    running.released.acquire(); // For the number of torch's threads; the interrupt check may have released the GIL.
    work.threads = threadCount();
    running.release();
    launch.emplace(work.context);
    return parallelFor(work, finished);
  }
};

bool CPUKernel::run(LaunchRequest &request, PyObject *self) {
  stayOutIfEnding();
  LaunchContext context;
  uint64_t *const packed = request.buffers->packed;
  uint64_t *slot = packed;
  for (Slot expected : slots)
    *slot++ = encode(expected, request.arguments[expected.parameter]);
  for (int64_t size : request.grid)
    *slot++ = static_cast<uint64_t>(size);
  *slot = reinterpret_cast<uint64_t>(&context);
  if (accesses && !accesses->check(request, slots, packed, self))
    return false;

  Running running;
  if (polls)
    running.interruptible.emplace(context, Running::interrupted, &running);
  Work work{function, packed, request.programs,     scratchBytes, 1, &cost,
            &context, waits,  Running::interrupted, &running};
  LaunchRecord record{name.c_str(), place.c_str(), &request};
  context.record = &record;
  Execution execution{work, running, isSequential, Outcome::OutOfMemory, {}};
  bool hasRoom = callWithRoom([](void *self) { static_cast<Execution *>(self)->run(); }, &execution);
  if (execution.error)
    std::rethrow_exception(execution.error);
  Outcome outcome = execution.outcome;
  running.released.acquire();
  if (context.lacksThreads)
    return raiseLackOfThreads(name);
  if (outcome == Outcome::Interrupted)
    return false; // The signal handler has raised.
  if (outcome == Outcome::OutOfMemory) {
    PyErr_Format(PyExc_MemoryError,
                 hasRoom ? "no %zu bytes of scratch memory for each thread" : "no memory for a stack", scratchBytes);
    return false;
  }
  if (!context.hasFailed())
    return true;
  PyObject *result = PyObject_CallMethod(request.launcher(), "_failed", "Oz(iii)", self, context.message,
                                         context.program[0], context.program[1], context.program[2]);
  Py_XDECREF(result);
  if (result)
    PyErr_SetString(PyExc_SystemError, "_failed did not raise");
  return false;
}

bool parseWritten(PyObject *sequence, std::vector<uint16_t> &written) {
  OwnedRef items(PySequence_Fast(sequence, "written is a sequence of parameters"));
  if (!items)
    return false;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(items.get()) && !PyErr_Occurred(); ++i)
    written.push_back(static_cast<uint16_t>(PyLong_AsLong(PySequence_Fast_GET_ITEM(items.get(), i))));
  return !PyErr_Occurred();
}

/// Loads an object file, or uses the address of code that is loaded already.
bool findFunction(PyObject *code, const char *name, CPUKernel &state) {
  if (PyLong_Check(code)) {
    state.function = reinterpret_cast<KernelFunction>(PyLong_AsVoidPtr(code));
    if (!state.function && !PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "there is no code at address 0");
    return state.function != nullptr;
  }
  char *bytes;
  Py_ssize_t size;
  if (PyBytes_AsStringAndSize(code, &bytes, &size) < 0)
    return false;
  std::string error;
  state.code = ObjectCode::load(std::string_view(bytes, static_cast<size_t>(size)), error);
  if (!state.code) {
    PyErr_SetString(PyExc_ValueError, error.c_str());
    return false;
  }
  state.polls = state.code->polls();
  state.waits = state.code->waits();
  state.function = reinterpret_cast<KernelFunction>(state.code->lookup(name));
  if (!state.function)
    PyErr_Format(PyExc_ValueError, "the object defines no function '%s'", name);
  return state.function != nullptr;
}

int initKernel(PyObject *self, PyObject *args, PyObject *keywords) {
  static const char *names[] = {"code",  "name",     "slots",      "written", "scratch_bytes",
                                "place", "accesses", "sequential", nullptr};
  const char *name, *place = "";
  Py_ssize_t scratchBytes;
  int sequential = 0;
  PyObject *code, *slots, *written, *accesses = nullptr;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "OsOOn|sOp:Kernel", const_cast<char **>(names), &code, &name, &slots,
                                   &written, &scratchBytes, &place, &accesses, &sequential))
    return -1;
  auto state = std::make_unique<CPUKernel>();
  if (scratchBytes < 0 || !parseSlots(slots, state->slots) || !parseWritten(written, state->written)) {
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_ValueError, "scratch_bytes is negative");
    return -1;
  }
  if (accesses && !LaunchAccesses::read(accesses, state->slots.size(), state->accesses))
    return -1;
  state->scratchBytes = static_cast<size_t>(scratchBytes);
  state->name = name;
  state->place = place;
  state->isSequential = sequential != 0;
  if (!findFunction(code, name, *state))
    return -1;
  return adopt(self, std::move(state));
}

PyType_Slot kernelSlots[] = {
    {Py_tp_doc,
     const_cast<char *>(
         "Kernel(code, name, slots, written, scratch_bytes, place='', accesses=(),\nsequential=False): loaded code.")},
    {Py_tp_new, reinterpret_cast<void *>(PyType_GenericNew)},
    {Py_tp_init, reinterpret_cast<void *>(guarded<initKernel>)},
    {0, nullptr},
};

PyType_Spec kernelSpec = {"blockdsl._runtime.Kernel", sizeof(KernelObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                          kernelSlots};

} // namespace

PyTypeObject *blockdsl::python::kernelType() {
  static PyObject *type = PyType_FromSpecWithBases(&kernelSpec, reinterpret_cast<PyObject *>(anyKernelType()));
  return reinterpret_cast<PyTypeObject *>(type);
}

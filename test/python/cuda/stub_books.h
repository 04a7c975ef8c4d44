//===- stub_books.h - State of the stub driver --------------------------------------------------------------------===//
//
// The books that a driver keeps (contexts, modules, captures, allocations), beside them the faults that a test has
// planned, and the record of every call as a line of JSON.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_TEST_CUDA_STUB_BOOKS_H
#define BLOCKDSL_TEST_CUDA_STUB_BOOKS_H

#include "blockdsl/Runtime/CUDADriver.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#define STUB extern "C" __attribute__((visibility("default")))

namespace stub {

using namespace blockdsl::runtime::cuda;

constexpr Result kNotInitialized = 3, kNoDevice = 100, kInvalidImage = 200, kInvalidContext = 201, kInvalidHandle = 400,
                 kNotFound = 500, kCaptureUnsupported = 900;
constexpr uint64_t kFirstContext = 0x1000;

struct LoadedModule {
  Context context;
  std::string kernel;
  int staticShared, mostThreads;
  std::vector<int> parameters;
};

struct Fault {
  Result result;
  /// Calls that still go well, and then calls that fail.
  int before, times;
};

struct Books {
  std::mutex mutex;
  bool isInitialized = false, isQuiet = false, isFatal = false;
  int devices = 2;
  std::map<uint64_t, LoadedModule> modules;
  uint64_t nextHandle = 0x10000;
  std::map<uint64_t, size_t> allocations;
  std::set<Stream> capturing;
  std::set<uint64_t> pinned;
  std::set<MemoryPool> pools;
  std::map<std::string, Fault> faults;
  std::string log, taken, image;
};

inline Books books;

inline std::atomic<bool> holds{false}, isHeld{false};
inline thread_local std::vector<Context> contexts;
inline thread_local CaptureMode captureMode = CaptureMode::Global;
inline std::atomic<int> threads{0};
inline thread_local const int thread = threads++;

using Lock = std::lock_guard<std::mutex>;

inline void record(const char *format, ...) {
  if (books.isQuiet)
    return;
  char line[4096];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof(line), format, arguments);
  va_end(arguments);
  books.log += std::string("{\"thread\": ") + std::to_string(thread) + ", " + line + "}\n";
}

/// The fault a test has planned for this call, or 0.
inline Result fault(const char *call) {
  if (books.isFatal) {
    std::fprintf(stderr, "%s was called\n", call);
    std::abort();
  }
  if (books.faults.empty())
    return 0;
  auto found = books.faults.find(call);
  if (found == books.faults.end())
    return 0;
  Fault &planned = found->second;
  if (planned.before-- > 0)
    return 0;
  Result result = planned.result;
  if (--planned.times == 0)
    books.faults.erase(found);
  return result;
}

#define BEGIN(call)                                                                                                    \
  Lock lock(books.mutex);                                                                                              \
  if (Result planned = fault(call))                                                                                    \
    return planned;                                                                                                    \
  if (!books.isInitialized)                                                                                            \
  return kNotInitialized

/// What a driver refuses while any stream of any thread is captured, unless the thread has said it knows better.
inline bool breaksCapture() { return !books.capturing.empty() && captureMode != CaptureMode::Relaxed; }

template <typename Handle> uint64_t number(Handle handle) { return reinterpret_cast<uint64_t>(handle); }
template <typename Handle> Handle handle(uint64_t number) { return reinterpret_cast<Handle>(number); }
inline Context current() { return contexts.empty() ? nullptr : contexts.back(); }

} // namespace stub

#endif // BLOCKDSL_TEST_CUDA_STUB_BOOKS_H

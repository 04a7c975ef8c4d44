//===- OpenMP.cpp - Threads of somebody else's --------------------------------------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "OpenMP.h"

#include "blockdsl/Runtime/CPUs.h"
#include "blockdsl/Runtime/Workers.h"

#include "Team.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <pthread.h>
#include <type_traits>
#include <unistd.h>

using namespace blockdsl::runtime;

namespace {

/// What a kernel takes of its thread's stack at most, and what functions of libm need.
constexpr size_t kLeastStack = 512 << 10;

std::atomic<OpenMP *> theOpenMP{nullptr};
/// Workers may have been given small stacks by somebody who knows what else they run.
std::atomic<bool> stacksAreSmall{false};

bool hasRoomForKernels() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return false;
  size_t bytes = 0;
  bool isKnown = pthread_attr_getstacksize(&attributes, &bytes) == 0;
  pthread_attr_destroy(&attributes);
  return isKnown && bytes >= kLeastStack;
}

Team &team() {
  thread_local Team own;
  return own;
}

/// A child of fork has its parent's OpenMP runtime, whose workers it has not: whoever calls them waits for ever. One
/// that has called exec begins anew.
bool isChildOfFork() {
  constexpr unsigned kForkedWithoutExec = 0x40;
  char text[512] = {};
  FILE *file = std::fopen("/proc/self/stat", "r");
  if (!file)
    return true;
  size_t size = std::fread(text, 1, sizeof(text) - 1, file);
  std::fclose(file);
  // The name of the program, in parentheses, may hold anything.
  const char *rest = size ? std::strrchr(text, ')') : nullptr;
  unsigned flags = kForkedWithoutExec;
  return !rest || std::sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) != 1 || (flags & kForkedWithoutExec);
}

} // namespace

bool blockdsl::runtime::findOpenMP(const char *library) {
  if (OpenMP::get())
    return true;
  void *caller = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (!caller || isChildOfFork())
    return false;
  // Where the linker looked for that library, too: a runtime that was loaded before it, for all, comes first.
  void *where = dlsym(RTLD_DEFAULT, "GOMP_parallel") ? RTLD_DEFAULT : caller;
  auto found = std::make_unique<OpenMP>();
  auto find = [where](const char *name, auto &function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(where, name));
    return function != nullptr;
  };
  // GCC's runtime, and LLVM's and Intel's, which stand in for it.
  if (!find("GOMP_parallel", found->parallel) || !find("omp_get_thread_num", found->threadNumber) ||
      !find("omp_get_max_threads", found->mostThreads) || !find("omp_get_level", found->level))
    return false;
  static const int registered = pthread_atfork(nullptr, nullptr, [] { theOpenMP.store(nullptr); });
  OpenMP *none = nullptr;
  if (registered == 0 && theOpenMP.compare_exchange_strong(none, found.get()))
    found.release(); // Until the process ends.
  return registered == 0;
}

OpenMP *OpenMP::get() { return theOpenMP.load(std::memory_order_acquire); }

bool OpenMP::reaches(int threads) const {
  // A region inside of another one has one thread.
  return level() == 0 && mostThreads() >= threads && !stacksAreSmall.load(std::memory_order_relaxed);
}

/// Threads that turn while they wait take the time that a container may use from the others.
static bool haveCPUs(int threads) {
  static const int cpus = availableCPUs();
  return threads <= cpus;
}

bool OpenMP::isReady() const { return haveCPUs(mostThreads()) && team().isReady(); }

bool OpenMP::isKnownToSpin() const { return haveCPUs(mostThreads()) && team().isKnownToSpin(); }

struct OpenMP::Region {
  OpenMP &openmp;
  Job &job;
  int workers;
  void *scratch;
  JobSlot slot;
  bool finished = true;
  ThreadId firstWorker;
  Clock::time_point began{}, ended{};
};

void OpenMP::enter(void *data) {
  auto &region = *static_cast<Region *>(data);
  int number = region.openmp.threadNumber();
  if (number == 0) {
    // Waits for those inside, and hears Ctrl-C meanwhile. The region's end waits, too, and hears nothing.
    region.began = Clock::now();
    region.finished = runCallersPart(region.job, &region.slot, region.scratch);
    region.ended = Clock::now();
    return;
  }
  static thread_local const ThreadId id = ThreadId::own();
  if (number == 1)
    region.firstWorker = id;
  static thread_local const bool hasRoom = hasRoomForKernels();
  if (!hasRoom)
    stacksAreSmall.store(true, std::memory_order_relaxed);
  else if (number <= region.workers)
    runWorkersPart(region.slot, number - 1);
}

bool OpenMP::run(Job &job, int workers, void *scratch) {
  Region region{*this, job, workers, scratch, {}};
  region.slot.take(job);
  region.slot.open(workers);
  // All threads that the caller's regions have: GCC's runtime ends those that a region has no use for.
  Clock::time_point called = Clock::now();
  parallel(enter, &region, 0, 0);
  team().meet(region.firstWorker, region.began - called + (Clock::now() - region.ended));
  return region.finished;
}

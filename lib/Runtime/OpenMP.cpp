//===- OpenMP.cpp - Executor on top of an existing OpenMP runtime -------------------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "OpenMP.h"

#include "blockdsl/Runtime/CPUs.h"
#include "blockdsl/Runtime/Workers.h"

#include "OpenMPWorkerState.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <pthread.h>
#include <type_traits>
#include <unistd.h>

using namespace blockdsl::runtime;

namespace {

/// Least work for an additional thread of a region, which runs in any case: the time that it takes to start its part.
constexpr double kPartNs = 600;
/// After such a pause reading the state of the workers takes as long as a small launch.
constexpr auto kPause = std::chrono::milliseconds(2);
/// Largest stack of a kernel and the functions of libm that it calls.
constexpr size_t kLeastStack = 512 << 10;

std::atomic<OpenMP *> theOpenMP{nullptr};
/// Whether a worker has a stack that is too small for kernels.
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

OpenMPWorkerState &workerState() {
  thread_local OpenMPWorkerState state;
  return state;
}

/// Returns true in a child of fork that has not called exec: it has its parent's OpenMP runtime without the workers, so
/// that a region would never end.
bool isChildOfFork() {
  constexpr unsigned kForkedWithoutExec = 0x40;
  char text[512] = {};
  FILE *file = std::fopen("/proc/self/stat", "r");
  if (!file)
    return true;
  size_t size = std::fread(text, 1, sizeof(text) - 1, file);
  std::fclose(file);
  // The program's name, in parentheses, may contain any character.
  const char *fields = size ? std::strrchr(text, ')') : nullptr;
  unsigned flags = kForkedWithoutExec;
  return !fields || std::sscanf(fields + 1, " %*c %*d %*d %*d %*d %*d %u", &flags) != 1 || (flags & kForkedWithoutExec);
}

} // namespace

bool blockdsl::runtime::findOpenMP(const char *library) {
  if (OpenMP::get())
    return true;
  void *caller = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (!caller || isChildOfFork())
    return false;
  // Resolves symbols like the dynamic linker did for that library: an earlier global runtime comes first.
  void *handle = dlsym(RTLD_DEFAULT, "GOMP_parallel") ? RTLD_DEFAULT : caller;
  auto found = std::make_unique<OpenMP>();
  auto find = [handle](const char *name, auto &function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
    return function != nullptr;
  };
  // GCC's runtime, or LLVM's and Intel's, which have the same functions.
  if (!find("GOMP_parallel", found->parallel) || !find("omp_get_thread_num", found->threadNumber) ||
      !find("omp_get_max_threads", found->mostThreads) || !find("omp_get_num_threads", found->threadCount) ||
      !find("omp_get_level", found->level))
    return false;
  static const int registered = pthread_atfork(nullptr, nullptr, [] { theOpenMP.store(nullptr); });
  OpenMP *none = nullptr;
  if (registered == 0 && theOpenMP.compare_exchange_strong(none, found.get()))
    found.release(); // Lives until the process ends.
  return registered == 0;
}

OpenMP *OpenMP::get() { return theOpenMP.load(std::memory_order_acquire); }

BorrowedExecutor *blockdsl::runtime::borrowedExecutor() { return OpenMP::get(); }

bool OpenMP::hasThreads(int threads) const {
  // A nested region has one thread.
  return level() == 0 && mostThreads() >= threads && !stacksAreSmall.load(std::memory_order_relaxed);
}

/// Returns true if each thread has a CPU. Threads that spin would use up the CPU time of a container's other threads.
static bool haveCPUs(int threads) {
  static const int cpus = availableCPUs();
  return threads <= cpus;
}

bool OpenMP::isReady() const { return workerState().isReady() && haveCPUs(mostThreads()); }

bool OpenMP::isAwakeAfter(Clock::duration sinceLaunch) const {
  if (sinceLaunch > kLongestSpin || !hasThreads(2))
    return false;
  return sinceLaunch < kPause ? isReady() : haveCPUs(mostThreads()) && workerState().isKnownToSpin();
}

/// A parallel region that runs one job. All of its threads take part from its start to its end, so none has to join.
/// Workers count their arrival and end in their ranges: a single counter would move through the caches of all cores,
/// which takes as long as a small launch.
class OpenMP::Region {
public:
  Region(const OpenMP &openmp, Job &job, int workers, void *scratch)
      : openmp(openmp), job(job), args(job.work.args), context(job.work.context), workers(workers),
        isUnsplit(workers < job.rangeCount && job.makeUnsplitRanges()), scratch(scratch) {}

  /// Returns false if the launch was interrupted.
  bool run() {
    called = Clock::now();
    // With all threads of the caller's regions, because GCC's runtime ends threads that a region does not use.
    openmp.parallel(enter, this, 0, 0);
    over = Clock::now();
    delay += began - called + (over - ended);
    return finished;
  }

  /// Waits until all workers with a range have finished. Returns false as soon as the launch is interrupted.
  bool waitUntilLeft(bool mayInterrupt) {
    if (!haveAllJoined && !areAll(&WorkRange::joined)) {
      Clock::time_point start = Clock::now();
      haveAllJoined = waitForAll(&WorkRange::joined, mayInterrupt);
      delay += Clock::now() - start;
      if (!haveAllJoined)
        return false;
    }
    haveAllJoined = true;
    return waitForAll(&WorkRange::finished, mayInterrupt);
  }

  std::optional<ThreadId> firstWorker() const {
    ThreadId first = job.ranges[job.rangeOf(0)].firstWorker.load(std::memory_order_relaxed);
    return first == ThreadId{} ? std::nullopt : std::optional(first);
  }

  /// Time for which the caller has waited for workers to arrive and to leave, without the time of their programs.
  Clock::duration delay{};
  Clock::time_point over{};

private:
  // Written by the caller while workers read the members below, on another cache line.
  bool haveAllJoined = false;
  bool finished = true;
  Clock::time_point began{}, ended{};

  alignas(64) const OpenMP &openmp;
  Job &job;
  /// Addresses from the job, which workers prefetch.
  const void *const args, *const context;
  /// Number of workers with a range.
  const int workers;
  /// Whether each thread runs exactly its own range.
  const bool isUnsplit;
  Word callerSleeps{0};
  void *const scratch;
  Clock::time_point called{};

  static void enter(void *region) {
    auto &self = *static_cast<Region *>(region);
    int number = self.openmp.threadNumber();
    if (number == 0)
      self.runCaller();
    else if (number <= self.workers)
      self.runWorker(number - 1);
  }

  /// Runs the caller's part and waits for the workers, which unlike the end of the region can be interrupted.
  void runCaller() {
    began = Clock::now();
    job.ranges[0].cpu.store(currentCPU(), std::memory_order_relaxed);
    if (isUnsplit)
      runUnsplit();
    else
      finished = waitForWorkers(job, *this, runCallerChunks(job, scratch));
    ended = Clock::now();
  }

  void runUnsplit() {
    job.runUnsplit(0, began, scratch);
    finished = waitForWorkers(job, *this, true);
    job.recordUnsplitRanges();
    // Ranges without a worker are left.
    finished = finished && (job.areAllClaimed() || runCallerChunks(job, scratch));
  }

  void runWorker(int worker) {
    // Fetches these lines from the caller's cache together instead of one after the other.
    __builtin_prefetch(&job);
    __builtin_prefetch(&job.ranges[(1 + worker) % kMaxWorkRanges], /*rw=*/1);
    __builtin_prefetch(args);
    __builtin_prefetch(context);
    Clock::time_point now = Clock::now();
    WorkRange &range = job.ranges[job.rangeOf(worker)];
    static thread_local const ThreadId id = ThreadId::current();
    if (worker == 0)
      range.firstWorker.store(id, std::memory_order_relaxed);
    range.cpu.store(currentCPU(), std::memory_order_relaxed);
    range.joined.fetch_add(1, std::memory_order_relaxed);
    static thread_local const bool hasRoom = hasRoomForKernels();
    if (!hasRoom)
      stacksAreSmall.store(true, std::memory_order_relaxed);
    else if (isUnsplit)
      runUnsplitRange(job, worker, now);
    else
      runWorkerChunks(job, worker);
    range.finished.fetch_add(1);
    if (callerSleeps.load() != 0) {
      callerSleeps.store(0);
      wakeSleepers(callerSleeps, 1);
    }
    // If few CPUs are idle, Linux may wake two threads of a region on one CPU. One of them then spins there for
    // milliseconds before the other one runs, in each region and in each of torch's ops.
    if (now - called > kMaxDelay && workers + 1 == openmp.threadCount())
      if (auto cpus = job.cpusIfOneIsShared(job.rangeOf(worker)); !cpus.empty())
        moveOff(cpus.begin(), cpus.end());
  }

  bool areAll(std::atomic<int> WorkRange::*count) const {
    int next = job.rangeOf(0);
    return areAll(count, next);
  }

  /// Checks the ranges from `next` on and advances `next`, so that no range is checked again.
  bool areAll(std::atomic<int> WorkRange::*count, int &next) const {
    while (next < job.rangeCount && (job.ranges[next].*count).load(std::memory_order_acquire) == workersOf(next))
      ++next;
    return next >= job.rangeCount;
  }

  bool waitForAll(std::atomic<int> WorkRange::*count, bool mayInterrupt) {
    int next = job.rangeOf(0);
    auto isOver = [&] { return areAll(count, next); };
    auto sleep = [&] {
      callerSleeps.store(1);
      if (!isOver())
        sleepOn(callerSleeps, 1, kInterruptInterval);
    };
    return waitUntil(job.work, mayInterrupt, isOver, sleep);
  }

  /// Returns the number of workers of a range. A region may have fewer threads than requested.
  int workersOf(int range) const {
    int first = job.rangeOf(0), before = range - first;
    int present = std::min(workers, openmp.threadCount() - 1);
    return before >= present ? 0 : 1 + (present - before - 1) / (job.rangeCount - first);
  }
};

int OpenMP::threadsFor(double ns, int maximum) const {
  return blockdsl::runtime::threadsFor(ns, kPartNs, std::min(maximum, mostThreads()));
}

bool OpenMP::run(Job &job, int workers, void *scratch) {
  static_assert(sizeof(Region) == 128, "workers read one cache line, which is not written meanwhile");
  Region region(*this, job, workers, scratch);
  bool finished = region.run();
  workerState().recordRegion(region.firstWorker(), region.delay, region.over);
  return finished;
}

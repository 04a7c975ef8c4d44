//===- OpenMP.cpp - Threads of somebody else's --------------------------------------------------------------------===//
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

/// A thread of a region is there anyhow: it is worth its while with so much of the work, which is what it takes to tell
/// it.
constexpr double kPartNs = 600;
/// After such a pause reading the state of the workers takes as long as a small launch.
constexpr auto kPause = std::chrono::milliseconds(2);
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

OpenMPWorkerState &workerState() {
  thread_local OpenMPWorkerState own;
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
      !find("omp_get_max_threads", found->mostThreads) || !find("omp_get_num_threads", found->threadCount) ||
      !find("omp_get_level", found->level))
    return false;
  static const int registered = pthread_atfork(nullptr, nullptr, [] { theOpenMP.store(nullptr); });
  OpenMP *none = nullptr;
  if (registered == 0 && theOpenMP.compare_exchange_strong(none, found.get()))
    found.release(); // Until the process ends.
  return registered == 0;
}

OpenMP *OpenMP::get() { return theOpenMP.load(std::memory_order_acquire); }

BorrowedExecutor *blockdsl::runtime::borrowedExecutor() { return OpenMP::get(); }

bool OpenMP::hasThreads(int threads) const {
  // A region inside of another one has one thread.
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

/// A region has all of its threads until its end, so nobody has to join: they are inside from its beginning, and say
/// beside their ranges when they come and when they are through. One word for all would have to come by each of them in
/// turn, which takes as long as a small launch.
class OpenMP::Region {
public:
  Region(const OpenMP &openmp, Job &job, int workers, void *scratch)
      : openmp(openmp), job(job), args(job.work.args), context(job.work.context), workers(workers),
        eachItsOwn(workers < job.rangeCount && job.makeUnsplitRanges()), scratch(scratch) {}

  /// False when the caller was asked to stop.
  bool run() {
    called = Clock::now();
    // All threads that the caller's regions have: GCC's runtime ends those that a region has no use for.
    openmp.parallel(enter, this, 0, 0);
    over = Clock::now();
    heldUp += began - called + (over - ended);
    return finished;
  }

  /// The workers' part of what a launch's own thread does: waits until all are through who have a range. False as soon
  /// as the caller is asked to stop.
  bool waitUntilLeft(bool mayInterrupt) {
    if (!haveAllCome && !areAll(&WorkRange::came)) {
      Clock::time_point start = Clock::now();
      haveAllCome = waitForAll(&WorkRange::came, mayInterrupt);
      heldUp += Clock::now() - start;
      if (!haveAllCome)
        return false;
    }
    haveAllCome = true;
    return waitForAll(&WorkRange::ended, mayInterrupt);
  }

  std::optional<ThreadId> firstWorker() const {
    ThreadId first = job.ranges[job.rangeOf(0)].firstWorker.load(std::memory_order_relaxed);
    return first == ThreadId{} ? std::nullopt : std::optional(first);
  }

  /// How long the caller has waited for workers to come, and to go; not for what they do.
  Clock::duration heldUp{};
  Clock::time_point over{};

private:
  // The caller's own, which he writes while the others read what follows.
  bool haveAllCome = false;
  bool finished = true;
  Clock::time_point began{}, ended{};

  alignas(64) const OpenMP &openmp;
  Job &job;
  /// The job's: where they are.
  const void *const args, *const context;
  /// How many have a range, but for the caller.
  const int workers;
  /// Nobody helps with others' ranges.
  const bool eachItsOwn;
  Word callerSleeps{0};
  void *const scratch;
  Clock::time_point called{};

  static void enter(void *region) {
    auto &self = *static_cast<Region *>(region);
    int number = self.openmp.threadNumber();
    if (number == 0)
      self.runCallers();
    else if (number <= self.workers)
      self.runWorkers(number - 1);
  }

  /// Waits for the others, and hears Ctrl-C meanwhile. The region's end waits, too, and hears nothing.
  void runCallers() {
    began = Clock::now();
    job.ranges[0].cpu.store(currentCPU(), std::memory_order_relaxed);
    if (eachItsOwn)
      runWhole();
    else
      finished = waitForWorkers(job, *this, runCallerChunks(job, scratch));
    ended = Clock::now();
  }

  void runWhole() {
    job.runWhole(0, began, scratch);
    finished = waitForWorkers(job, *this, true);
    job.recordUnsplitRanges();
    // What nobody came for is left.
    finished = finished && (job.areAllClaimed() || runCallerChunks(job, scratch));
  }

  void runWorkers(int worker) {
    // All of it lies in the caller's cache, from where it comes together, and not each when it is needed.
    __builtin_prefetch(&job);
    __builtin_prefetch(&job.ranges[(1 + worker) % kMaxWorkRanges], /*rw=*/1);
    __builtin_prefetch(args);
    __builtin_prefetch(context);
    Clock::time_point now = Clock::now();
    WorkRange &range = job.ranges[job.rangeOf(worker)];
    static thread_local const ThreadId id = ThreadId::own();
    if (worker == 0)
      range.firstWorker.store(id, std::memory_order_relaxed);
    range.cpu.store(currentCPU(), std::memory_order_relaxed);
    range.came.fetch_add(1, std::memory_order_relaxed);
    static thread_local const bool hasRoom = hasRoomForKernels();
    if (!hasRoom)
      stacksAreSmall.store(true, std::memory_order_relaxed);
    else if (eachItsOwn)
      runUnsplitRange(job, worker, now);
    else
      runWorkerChunks(job, worker);
    range.ended.fetch_add(1);
    if (callerSleeps.load() != 0) {
      callerSleeps.store(0);
      wakeSleepers(callerSleeps, 1);
    }
    // Where few CPUs are idle, Linux wakes two of a team on one. Then one of them spins there until it sleeps, which
    // takes milliseconds, before the other one comes: in each region, and in each of torch's ops.
    if (now - called > kMaxDelay && workers + 1 == openmp.threadCount())
      if (auto cpus = job.cpusIfOneIsShared(job.rangeOf(worker)); !cpus.empty())
        moveOff(cpus.begin(), cpus.end());
  }

  bool areAll(std::atomic<int> WorkRange::*count) const {
    int next = job.rangeOf(0);
    return areAll(count, next);
  }

  /// From that range on; and then those that are need not be looked at again.
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

  /// How many come for a range. A region may have fewer threads than it was asked for.
  int workersOf(int range) const {
    int first = job.rangeOf(0), before = range - first;
    int present = std::min(workers, openmp.threadCount() - 1);
    return before >= present ? 0 : 1 + (present - before - 1) / (job.rangeCount - first);
  }
};

int OpenMP::threadsFor(double ns, int most) const {
  return blockdsl::runtime::threadsFor(ns, kPartNs, std::min(most, mostThreads()));
}

bool OpenMP::run(Job &job, int workers, void *scratch) {
  static_assert(sizeof(Region) == 128, "what a worker reads is one line, which nobody writes meanwhile");
  Region region(*this, job, workers, scratch);
  bool finished = region.run();
  workerState().recordRegion(region.firstWorker(), region.heldUp, region.over);
  return finished;
}

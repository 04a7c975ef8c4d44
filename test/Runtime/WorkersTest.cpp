//===- WorkersTest.cpp - Launches on the workers of an OpenMP runtime ---------------------------------------------===//
//
// ParallelForTest.cpp and ProgramDependenciesTest.cpp test launches on both kinds of workers. The argument is the path
// of the OpenMP runtime's library.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "blockdsl/Runtime/CPUs.h"

#include "Checks.h"
#include "Launch.h"

#include <array>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace blockdsl::runtime;

static std::atomic<int> affinitiesSet{0};

/// Replaces the system's function, also in the OpenMP runtime, and counts the calls.
extern "C" int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t *mask) noexcept {
  ++affinitiesSet;
  return static_cast<int>(syscall(SYS_sched_setaffinity, thread, size, mask));
}

namespace {

/// The functions of the OpenMP runtime.
struct {
  void *library = nullptr;

  template <typename Function> Function *find(const char *name) const {
    return reinterpret_cast<Function *>(dlsym(library, name));
  }
  int threadNumber() const { return find<int()>("omp_get_thread_num")(); }
  int level() const { return find<int()>("omp_get_level")(); }
  void setThreads(int count) const { find<void(int)>("omp_set_num_threads")(count); }
  /// Runs a parallel region; 0 means all threads.
  void parallel(void (*function)(void *), void *argument, unsigned threads = 0) const {
    find<void(void (*)(void *), void *, unsigned, unsigned)>("GOMP_parallel")(function, argument, threads, 0);
  }
} openmp;

void unloadedLibrariesHaveNoRuntime() {
  CHECK(!findOpenMP("libnobody-has-loaded-this.so"));
  CHECK(workersOf(4) == Workers::Own);
}

void runtimeIsFound(const char *library) {
  CHECK(findOpenMP(library));
  CHECK(findOpenMP(library));
  chooseWorkers(Workers::OpenMP);
  CHECK(workersOf(4) == Workers::OpenMP);
  CHECK(workersOf(5) == Workers::Own);
  chooseWorkers(Workers::Own);
  CHECK(workersOf(4) == Workers::Own);
  chooseWorkers(Workers::OpenMP);
}

/// Each thread runs the same range in every launch: that of a static loop in a region.
void rangesStayWithTheirThreads() {
  for (int repeat = 0; repeat < 10; ++repeat) {
    std::array<std::atomic<int>, 4> thread{};
    std::atomic<int> begun{0};
    Launch launch([&](int64_t id, void *) {
      thread[static_cast<size_t>(id)] = openmp.threadNumber();
      CHECK(openmp.level() == 1);
      // No thread ends its program before all four have started.
      for (++begun; begun < 4;)
        std::this_thread::yield();
    });
    launch.cost.record(1000000, 1);
    CHECK(launch.run(4) == Outcome::Finished);
    for (int i = 0; i < 4; ++i)
      CHECK(thread[static_cast<size_t>(i)] == i);
  }
}

/// On a busy machine the times of launches are random; the expected change occurs within this many launches.
constexpr int kEnoughLaunches = 500;

/// Uneven ranges stay unsplit until other sizes have not helped.
void rangesAreSplitAfterUnevenLaunches() {
  using std::chrono::microseconds;
  std::array<std::atomic<int>, 8> runs{};
  Launch launch([&](int64_t id, void *) {
    ++runs[static_cast<size_t>(id)];
    spinFor(microseconds(id < 6 ? 5 : 500));
  });
  int launches = 0;
  while (launch.cost.rangeSizes.areUnsplit() && launches < kEnoughLaunches) {
    launch.cost.assign(5000);
    CHECK(launch.run(8) == Outcome::Finished);
    ++launches;
  }
  CHECK(launches >= static_cast<int>(kMaxLoss / kMaxLossPerLaunch) && launches < kEnoughLaunches);
  for (auto &each : runs)
    CHECK(each == launches);
}

/// One thread is slower in every program, as on a slower core.
void slowWorkerGetsFewerPrograms() {
  constexpr int64_t kPrograms = 400;
  std::array<std::atomic<int>, 4> programs{};
  std::array<std::atomic<int>, kPrograms> runs{};
  Launch launch([&](int64_t id, void *) {
    int thread = openmp.threadNumber();
    ++programs[static_cast<size_t>(thread)];
    ++runs[static_cast<size_t>(id)];
    spinFor(std::chrono::microseconds(thread == 2 ? 8 : 2));
  });
  int launches = 0;
  bool getsLess = false;
  for (; launches < kEnoughLaunches && !getsLess; ++launches) {
    bool haveSizes = launch.cost.rangeSizes.differ(4);
    for (auto &each : programs)
      each = 0;
    launch.cost.assign(100);
    CHECK(launch.run(kPrograms) == Outcome::Finished);
    CHECK(launches > 0 || programs[2] == kPrograms / 4);
    // On split ranges the slow thread also runs fewer programs; hence the check for sizes.
    getsLess = haveSizes && programs[2] < kPrograms / 4 && programs[0] > kPrograms / 4;
  }
  CHECK(getsLess);
  for (auto &each : runs)
    CHECK(each == launches);
}

/// Linux may wake two workers on the same CPU while others spin. It may also separate them itself, hence the repeats.
void workersOnOneCPUSeparate() {
  if (cpusInAffinityMask().size() < 2)
    return;
  openmp.setThreads(2);
  auto meet = [](void *) {
    cpu_set_t allowed, first;
    CHECK(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
    CPU_ZERO(&first);
    CPU_SET(cpusInAffinityMask().front(), &first);
    CHECK(sched_setaffinity(0, sizeof(first), &first) == 0);
    CHECK(sched_setaffinity(0, sizeof(allowed), &allowed) == 0);
  };
  std::atomic<int> programs{0};
  Launch launch([&](int64_t, void *) { ++programs; });
  launch.threads = 2;
  int launches = 0, moves = 0;
  for (; launches < kEnoughLaunches && moves == 0; ++launches) {
    openmp.parallel(meet, nullptr);
    int before = affinitiesSet;
    launch.cost.assign(100000);
    CHECK(launch.run(400) == Outcome::Finished);
    moves = affinitiesSet - before;
  }
  CHECK(moves == 2); // To the other CPU, and back to the full affinity mask.
  CHECK(programs == launches * 400);
  auto cpus = cpusInAffinityMask();
  openmp.parallel([](void *before) { CHECK(cpusInAffinityMask() == *static_cast<std::vector<int> *>(before)); }, &cpus);
  openmp.setThreads(4);
}

struct Runs {
  std::atomic<int> programs{0}, atLevel{0};
  Launch launch{[this](int64_t, void *) {
    spinFor(std::chrono::microseconds(100));
    atLevel += openmp.level();
    ++programs;
  }};
};

void launchesInRegionsUseOwnWorkers() {
  Runs runs;
  runs.launch.cost.record(100000, 1);
  auto launchOnce = [](void *self) {
    if (openmp.threadNumber() != 0)
      return;
    CHECK(workersOf(2) == Workers::Own);
    CHECK(static_cast<Runs *>(self)->launch.run(100) == Outcome::Finished);
  };
  openmp.parallel(launchOnce, &runs);
  CHECK(runs.programs == 100);
  // This includes a region of one thread, because each nested region starts new threads.
  openmp.parallel(launchOnce, &runs, 1);
  CHECK(runs.programs == 200);
  CHECK(workersOf(2) == Workers::OpenMP);
}

/// For example from a signal handler.
void nestedLaunchesUseOwnWorkers() {
  struct Handler : Runs {
    bool isDone = false;
    static bool handle(void *self) {
      auto &handler = *static_cast<Handler *>(self);
      if (handler.isDone)
        return false;
      CHECK(openmp.level() == 1);
      CHECK(workersOf(2) == Workers::Own);
      CHECK(handler.launch.run(100) == Outcome::Finished);
      handler.isDone = true;
      return false;
    }
  } handler;
  handler.launch.cost.record(100000, 1);
  Launch outer([](int64_t, void *) { spinFor(std::chrono::milliseconds(1)); });
  Work work = outer.work(200);
  work.interrupted = Handler::handle;
  work.interruptedArgument = &handler;
  CHECK(parallelFor(work, 0) == Outcome::Finished);
  CHECK(handler.isDone && handler.programs == 100);
}

void teamsWithFewerThreadsAreNotUsed() {
  openmp.setThreads(2);
  CHECK(workersOf(3) == Workers::Own);
  CHECK(workersOf(2) == Workers::OpenMP);
  std::thread([] { CHECK(workersOf(4) == Workers::OpenMP); }).join(); // The limit is per thread.
  openmp.setThreads(4);
}

/// Launches on few threads run in a region of all threads, because the runtime would end and restart unused threads.
void launchesOnFewThreadsKeepTheOtherWorkers() {
  auto ids = [] {
    static std::array<std::atomic<long>, 4> id;
    openmp.parallel([](void *) { id[static_cast<size_t>(openmp.threadNumber())] = syscall(SYS_gettid); }, nullptr);
    return std::array<long, 4>{id[0], id[1], id[2], id[3]};
  };
  auto before = ids();
  Runs runs;
  runs.launch.threads = 2;
  runs.launch.cost.record(100000, 1);
  CHECK(runs.launch.run(100) == Outcome::Finished);
  CHECK(ids() == before);
}

void sleepingWorkersAreNotWoken() {
  chooseWorkers(Workers::Auto);
  openmp.setThreads(2);
  Runs runs;
  runs.launch.threads = 2;
  runs.launch.cost.record(100000, 1);
  bool isTaken = false;
  for (int i = 0; i < 200 && !isTaken; ++i) { // A busy machine may delay the region.
    CHECK(runs.launch.run(10) == Outcome::Finished);
    openmp.parallel([](void *) {}, nullptr);
    isTaken = workersOf(2) == Workers::OpenMP;
    std::this_thread::sleep_for(std::chrono::milliseconds(isTaken ? 500 : 20));
  }
  CHECK(isTaken || std::thread::hardware_concurrency() < 2);
  CHECK(workersOf(2) == Workers::Own);
  openmp.setThreads(4);
  chooseWorkers(Workers::OpenMP);
}

void forkedChildHasItsOwnPool() {
  Runs before;
  CHECK(before.launch.run(100) == Outcome::Finished);
  pid_t child = fork();
  if (child == 0) {
    alarm(10);
    Runs runs;
    bool works = workersOf(2) == Workers::Own && runs.launch.run(100) == Outcome::Finished && runs.atLevel == 0;
    // This includes a runtime found only in the child.
    works = works && !findOpenMP("libgomp.so.1") && workersOf(2) == Workers::Own;
    _exit(works ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
}

const char *library;

} // namespace

int main(int count, char **arguments) {
  if (count < 2)
    return 1;
  library = arguments[1];
  setenv("OMP_NUM_THREADS", "4", 1);
  unloadedLibrariesHaveNoRuntime();
  CHECK(!findOpenMP(library));
  openmp.library = dlopen(library, RTLD_NOW);
  CHECK(openmp.library);
  if (!openmp.library)
    return 1;
  return runTests({
      {"runtime is found", [] { runtimeIsFound(library); }},
      {"ranges stay with their threads", rangesStayWithTheirThreads},
      {"ranges are split after uneven launches", rangesAreSplitAfterUnevenLaunches},
      {"slow worker gets fewer programs", slowWorkerGetsFewerPrograms},
      {"workers on one CPU separate", workersOnOneCPUSeparate},
      {"launches in regions use own workers", launchesInRegionsUseOwnWorkers},
      {"nested launches use own workers", nestedLaunchesUseOwnWorkers},
      {"teams with fewer threads are not used", teamsWithFewerThreadsAreNotUsed},
      {"launches on few threads keep the other workers", launchesOnFewThreadsKeepTheOtherWorkers},
      {"sleeping workers are not woken", sleepingWorkersAreNotWoken},
      {"forked child has its own pool", forkedChildHasItsOwnPool},
  });
}

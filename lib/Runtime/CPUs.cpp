//===- CPUs.cpp - CPUs that this process may use ------------------------------------------------------------------===//

#include "blockdsl/Runtime/CPUs.h"

#include "blockdsl/Runtime/LaunchContext.h"
#include "blockdsl/Runtime/ThreadOwned.h"

#include <algorithm>
#include <cstdio>
#include <thread>

#if defined(__linux__)
#include <sched.h>
#endif

using namespace blockdsl::runtime;

namespace {

/// Reads one or two numbers. Returns how many were read.
int readNumbers(const char *path, long long &first, long long &second) {
  FILE *file = std::fopen(path, "r");
  if (!file)
    return 0;
  int count = std::fscanf(file, "%lld %lld", &first, &second);
  std::fclose(file);
  return count;
}

/// Returns the CPU quota of the container, rounded up; 0 if none is found.
int cpusInQuota() {
  // Without a limit the quota is "max" in version 2 of control groups, and -1 in version 1.
  long long quota = 0, period = 0, none = 0;
  if (readNumbers("/sys/fs/cgroup/cpu.max", quota, period) != 2 &&
      (readNumbers("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota, none) != 1 ||
       readNumbers("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period, none) != 1))
    return 0;
  return quota > 0 && period > 0 ? static_cast<int>((quota + period - 1) / period) : 0;
}

} // namespace

std::vector<int> blockdsl::runtime::cpusInAffinityMask() {
  std::vector<int> cpus;
#if defined(__linux__)
  cpu_set_t mask;
  // Fails if there are more CPUs than the mask has bits.
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0)
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
      if (CPU_ISSET(cpu, &mask))
        cpus.push_back(cpu);
#endif
  return cpus;
}

int blockdsl::runtime::availableCPUs() {
  auto cpus = static_cast<int>(cpusInAffinityMask().size());
  if (cpus == 0)
    cpus = static_cast<int>(std::thread::hardware_concurrency());
  if (int quota = cpusInQuota())
    cpus = std::min(cpus, quota);
  return std::max(cpus, 1);
}

int blockdsl::runtime::currentCPU() {
#if defined(__linux__)
  return sched_getcpu();
#else
  return -1;
#endif
}

void blockdsl::runtime::stayOff(int cpu) {
#if defined(__linux__)
  // Not in static TLS, where space is scarce.
  struct Affinity {
    /// The CPUs that the thread may use, and those that the last call has left.
    cpu_set_t allowed, left;
    bool hasLeft = false;
  };
  cpu_set_t now;
  auto *affinity = ThreadOwned<Affinity>::get();
  if (!affinity || cpu < 0 || cpu >= CPU_SETSIZE || sched_getaffinity(0, sizeof(now), &now) != 0)
    return;
  if (!affinity->hasLeft || !CPU_EQUAL(&now, &affinity->left)) // Changed by other code since.
    affinity->allowed = now;
  affinity->left = affinity->allowed;
  CPU_CLR(cpu, &affinity->left);
  affinity->hasLeft =
      CPU_COUNT(&affinity->left) > 0 && sched_setaffinity(0, sizeof(affinity->left), &affinity->left) == 0;
#endif
}

void blockdsl::runtime::moveOff([[maybe_unused]] const int *first, [[maybe_unused]] const int *last) {
#if defined(__linux__)
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return;
  cpu_set_t withoutFirst = allowed;
  for (; first != last; ++first)
    CPU_CLR(*first, &withoutFirst);
  if (CPU_COUNT(&withoutFirst) > 0 && sched_setaffinity(0, sizeof(withoutFirst), &withoutFirst) == 0)
    sched_setaffinity(0, sizeof(allowed), &allowed);
#endif
}

/// Read at load time, before any thread is restricted.
static const std::vector<int> cpusAtStart = cpusInAffinityMask();

extern "C" int32_t blockdsl_processor_count() { return std::max<int32_t>(1, cpusAtStart.size()); }

extern "C" int32_t blockdsl_processor() {
  auto found = std::lower_bound(cpusAtStart.begin(), cpusAtStart.end(), currentCPU());
  return found == cpusAtStart.end() ? 0 : static_cast<int32_t>(found - cpusAtStart.begin());
}

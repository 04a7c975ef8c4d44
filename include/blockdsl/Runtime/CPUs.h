//===- CPUs.h - CPUs and caches that this process may use ---------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_CPUS_H
#define BLOCKDSL_RUNTIME_CPUS_H

#include <cstdint>
#include <string>
#include <vector>

namespace blockdsl::runtime {

/// Returns the numbers of the CPUs that this process may run on; empty if unknown.
std::vector<int> cpusInAffinityMask();

/// Returns the number of CPUs that this process may use by its affinity mask and its container's quota; at least 1.
int availableCPUs();

/// Returns the CPU of the calling thread; -1 if unknown.
int currentCPU();

/// Moves the calling thread off a CPU until the next call with another CPU. Does nothing if it may use no other.
void stayOff(int cpu);

/// Moves the calling thread once to a CPU other than those listed. Does nothing if it may use no other. Does not
/// allocate.
void moveOff(const int *first, const int *last);

/// Returns the total size of the last-level caches of `cpus`, of at most `most` caches, as Linux lists them below
/// `directory`; 0 if it lists none.
uint64_t lastLevelCacheBytes(const std::vector<int> &cpus, int most,
                             const std::string &directory = "/sys/devices/system/cpu");

/// Returns the largest total size of a kernel's arguments that stay in the caches until the next launch.
uint64_t bytesKeptInCaches();

/// Returns the part of a last-level cache that keeps the results of a kernel that reads as much as it writes. It is
/// less than the whole on AMD's CPUs, whose last level is a victim cache; docs/rationale/lowering.md has the figures.
/// The family is CPUID's, 0 for other vendors.
uint64_t keptOfLastLevel(uint64_t bytes, unsigned familyOfAMD);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_CPUS_H

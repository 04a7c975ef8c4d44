//===- CPUs.h - What this process may use of the machine: CPUs, and the caches near them --------------------------===//

#ifndef BLOCKDSL_RUNTIME_CPUS_H
#define BLOCKDSL_RUNTIME_CPUS_H

#include <cstdint>
#include <string>
#include <vector>

namespace blockdsl::runtime {

/// The CPUs that this process may run on, by number; empty where the system does not tell.
std::vector<int> cpusInAffinityMask();

/// How many of them it may use: its affinity mask and its container's share of time, at least 1.
int availableCPUs();

/// The CPU that the calling thread runs on; -1 where the system does not tell.
int currentCPU();

/// Moves the calling thread off a CPU, and keeps it off until it is called for another one. Nothing happens where it
/// may use no other.
void stayOff(int cpu);

/// Moves the calling thread to a CPU that it may use other than those listed, and does not keep it there. Nothing
/// happens where it may use none. Allocates nothing.
void moveOff(const int *first, const int *last);

/// Bytes of the last level's caches that `cpus` share among them, at most `most` of the caches, by what Linux lists
/// below `directory`; 0 where it lists none.
uint64_t lastLevelCacheBytes(const std::vector<int> &cpus, int most,
                             const std::string &directory = "/sys/devices/system/cpu");

/// Arguments of a kernel that are larger than this together are not found in the caches again.
uint64_t bytesKeptInCaches();

/// How much of a last cache keeps what a kernel writes, for one that reads as much: of AMD's, which takes what the
/// second one drops, a part. docs/rationale.md has the figures. The family is CPUID's, 0 for CPUs of others.
uint64_t keptOfLastLevel(uint64_t bytes, unsigned familyOfAMD);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_CPUS_H

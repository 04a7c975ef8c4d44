//===- Caches.cpp - Sizes of the caches of this process's CPUs ----------------------------------------------------===//

#include "blockdsl/Runtime/CPUs.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

using namespace blockdsl::runtime;

namespace {

/// Returns the first word of a small file, or an empty string.
std::string read(const std::string &path) {
  std::string word;
  std::ifstream(path) >> word;
  return word;
}

/// Converts a size such as "32768K" to bytes; 0 for any other text.
uint64_t bytesOf(const std::string &size) {
  uint64_t number = 0;
  char unit = 0;
  std::istringstream(size) >> number >> unit;
  return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : number;
}

/// Adds the CPUs of a list such as "0-7,128-135".
void addListed(const std::string &list, std::set<int> &cpus) {
  std::istringstream ranges(list);
  for (std::string range; std::getline(ranges, range, ',');) {
    std::istringstream numbers(range);
    int first = 0;
    if (!(numbers >> first))
      continue;
    int last = first;
    if (numbers.get() == '-')
      numbers >> last;
    for (int cpu = first; cpu <= last; ++cpu)
      cpus.insert(cpu);
  }
}

/// Returns CPUID's family of an AMD CPU, 0 for other vendors.
unsigned familyOfAMD() {
#if defined(__x86_64__)
  unsigned signature, b, c, d;
  if (__builtin_cpu_is("amd") && __get_cpuid(1, &signature, &b, &c, &d))
    return ((signature >> 8) & 0xf) + ((signature >> 20) & 0xff);
#endif
  return 0;
}

} // namespace

uint64_t blockdsl::runtime::keptOfLastLevel(uint64_t bytes, unsigned familyOfAMD) {
  constexpr unsigned kZen5 = 0x1a;
  if (familyOfAMD == 0)
    return bytes;
  return familyOfAMD < kZen5 ? bytes / 2 : bytes / 8 * 5;
}

uint64_t blockdsl::runtime::lastLevelCacheBytes(const std::vector<int> &cpus, int maximumLevels,
                                                const std::string &directory) {
  std::set<int> counted;
  uint64_t total = 0;
  for (int cpu : cpus) {
    if (maximumLevels == 0)
      break;
    if (counted.count(cpu))
      continue;
    std::string caches = directory + "/cpu" + std::to_string(cpu) + "/cache/index", last;
    // Linux numbers caches from the core outwards.
    for (int index = 0; !read(caches + std::to_string(index) + "/level").empty(); ++index)
      last = caches + std::to_string(index);
    if (last.empty())
      continue;
    counted.insert(cpu);
    addListed(read(last + "/shared_cpu_list"), counted);
    total += bytesOf(read(last + "/size"));
    --maximumLevels;
  }
  return total;
}

uint64_t blockdsl::runtime::bytesKeptInCaches() {
  auto system = [](int name) { return static_cast<uint64_t>(std::max(sysconf(name), 0L)); };
  int available = availableCPUs();
  uint64_t last = lastLevelCacheBytes(cpusInAffinityMask(), available);
  // On AMD CPUs the C library returns the size of the whole socket, of which a core reaches an eighth.
  if (last == 0)
    last = system(_SC_LEVEL3_CACHE_SIZE);
  last = keptOfLastLevel(last, familyOfAMD());
  return std::max<uint64_t>({system(_SC_LEVEL2_CACHE_SIZE) * static_cast<uint64_t>(available), last, 4 << 20});
}

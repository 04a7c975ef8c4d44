//===- CachesTest.cpp - DIRECTORY MOST CPU..., or kept BYTES FAMILY ---------------------------------------------===//

#include "blockdsl/Runtime/CPUs.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int count, char **words) {
  if (count < 3)
    return 2;
  if (std::strcmp(words[1], "kept") == 0 && count == 4) {
    uint64_t bytes = std::strtoull(words[2], nullptr, 10);
    std::printf("%" PRIu64 "\n",
                blockdsl::runtime::keptOfLastLevel(bytes, static_cast<unsigned>(std::strtoul(words[3], nullptr, 16))));
    return 0;
  }
  std::vector<int> cpus;
  for (int i = 3; i < count; ++i)
    cpus.push_back(std::atoi(words[i]));
  std::printf("%" PRIu64 "\n", blockdsl::runtime::lastLevelCacheBytes(cpus, std::atoi(words[2]), words[1]));
  return 0;
}

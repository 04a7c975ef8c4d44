//===- CachesTest.cpp - Prints what a directory tells of caches: DIRECTORY MOST CPU... ----------------------------===//

#include "blockdsl/Runtime/CPUs.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

int main(int count, char **words) {
  if (count < 3)
    return 2;
  std::vector<int> cpus;
  for (int i = 3; i < count; ++i)
    cpus.push_back(std::atoi(words[i]));
  std::printf("%" PRIu64 "\n", blockdsl::runtime::lastLevelCacheBytes(cpus, std::atoi(words[2]), words[1]));
  return 0;
}

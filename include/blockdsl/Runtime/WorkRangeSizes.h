//===- WorkRangeSizes.h - Sizes of the threads' ranges, from measured times ---------------------------------------===//
//
// Threads that run their ranges in one piece finish together if the ranges are equal work on equally fast cores. Two
// virtual cores may be one physical core for a while, each at half speed. So sizes follow the times that ranges took.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_WORKRANGESIZES_H
#define BLOCKDSL_RUNTIME_WORKRANGESIZES_H

#include <algorithm>
#include <array>
#include <atomic>

namespace blockdsl::runtime {

/// Largest number of ranges. Further threads share them.
constexpr int kMaxWorkRanges = 64;
/// Weight of the last launch in the average time per program of a range.
constexpr float kLastLaunch = 0.25F;
/// Largest factor by which a sample exceeds the average, because a thread may have lost its CPU.
constexpr float kMaxSlowdown = 3;
/// Ranges are equal if their costs differ by less than this factor. Sizes are kept if a launch takes less than this
/// multiple of the optimum, because programs that move to another range are in the wrong thread's cache.
constexpr float kEqualCosts = 1.25F;
/// Largest ratio of a range's size to an equal range's, and its inverse the smallest.
constexpr float kMaxRatio = 4;

/// Imbalance, longest to average time of the ranges, that a launch may have without loss. Two halves of a triangle have
/// an imbalance of 1.5. Excess imbalance adds to the loss, and less imbalance reduces it.
constexpr double kToleratedImbalance = 1.5;
/// Loss, in average ranges, at which launches split ranges into chunks that all threads claim.
constexpr double kMaxLoss = 16;
/// Largest loss that is counted for one launch, which may be an outlier.
constexpr double kMaxLossPerLaunch = 4;
/// Number of launches with split ranges at first. It doubles each time that the loss gets too large again.
constexpr int kSplitLaunches = 8, kMaxSplitLaunches = 128;

/// Concurrent launches may read and record; losing a sample is harmless.
class WorkRangeSizes {
public:
  /// Returns true if the next launch should run its ranges in one piece. Counts the launches.
  bool areUnsplit() {
    int left = splitLaunches.load(std::memory_order_relaxed);
    if (left > 0)
      splitLaunches.store(left - 1, std::memory_order_relaxed);
    return left == 0;
  }

  /// Returns true if that many ranges should have different sizes.
  bool differ(int ranges) const { return sized.load(std::memory_order_acquire) == ranges; }
  /// Returns the relative size of a range.
  float of(int range) const { return sizes[static_cast<size_t>(range)].load(std::memory_order_relaxed); }

  /// Records a launch with ranges in one piece: `took` returns the time of a range and `cost` that of one program of
  /// it.
  template <typename Took, typename Cost> void record(int ranges, Took took, Cost cost) {
    double longest = 0, all = 0;
    for (int i = 0; i < ranges; ++i) {
      if (cost(i) == 0) // The range had no worker.
        return;
      longest = std::max(longest, took(i));
      all += took(i);
    }
    bool areKnown = count.exchange(ranges, std::memory_order_relaxed) == ranges;
    if (!areKnown)
      sized.store(0, std::memory_order_relaxed);
    if (isTooMuch(longest * ranges / all - kToleratedImbalance)) {
      count.store(0, std::memory_order_relaxed); // Other threads will have the data in their caches.
      sized.store(0, std::memory_order_relaxed);
      return;
    }
    for (int i = 0; i < ranges; ++i) {
      auto known = areKnown ? costOf(i) : static_cast<float>(cost(i));
      float last = std::min(static_cast<float>(cost(i)), known * kMaxSlowdown);
      costs[static_cast<size_t>(i)].store(known + (last - known) * kLastLaunch, std::memory_order_relaxed);
    }
    resize(ranges);
  }

private:
  /// Average time of a program of each range, and the relative size of each range if they differ.
  std::array<std::atomic<float>, kMaxWorkRanges> costs{}, sizes{};
  /// Number of ranges with costs, and with sizes.
  std::atomic<int> count{0}, sized{0};
  /// Loss in average ranges.
  std::atomic<double> loss{0};
  std::atomic<int> splitLaunches{0}, nextSplitLaunches{kSplitLaunches};

  float costOf(int range) const { return costs[static_cast<size_t>(range)].load(std::memory_order_relaxed); }

  /// Adds to the loss. Returns true if the next launches should split their ranges.
  bool isTooMuch(double ranges) {
    double now = std::max(0.0, loss.load(std::memory_order_relaxed) + std::min(ranges, kMaxLossPerLaunch));
    if (now == 0)
      nextSplitLaunches.store(kSplitLaunches, std::memory_order_relaxed);
    bool isTooMuch = now >= kMaxLoss;
    if (isTooMuch) {
      int launches = nextSplitLaunches.load(std::memory_order_relaxed);
      splitLaunches.store(launches, std::memory_order_relaxed);
      nextSplitLaunches.store(std::min(launches * 2, kMaxSplitLaunches), std::memory_order_relaxed);
    }
    loss.store(isTooMuch ? kMaxLoss / 2 : now, std::memory_order_relaxed);
    return isTooMuch;
  }

  /// Makes sizes inversely proportional to the time per program.
  void resize(int ranges) {
    float cheapest = costOf(0), dearest = 0, longest = 0, speeds = 0;
    bool areEqual = !differ(ranges);
    for (int i = 0; i < ranges; ++i) {
      cheapest = std::min(cheapest, costOf(i));
      dearest = std::max(dearest, costOf(i));
      longest = std::max(longest, costOf(i) * (areEqual ? 1 : of(i)));
      speeds += 1 / costOf(i);
    }
    float least = static_cast<float>(ranges) / speeds;
    if (dearest <= cheapest * kEqualCosts)
      sized.store(0, std::memory_order_relaxed);
    else if (longest > least * kEqualCosts)
      resize(ranges, least);
  }

  void resize(int ranges, float cost) {
    for (int i = 0; i < ranges; ++i) {
      float size = std::clamp(cost / costOf(i), 1 / kMaxRatio, kMaxRatio);
      sizes[static_cast<size_t>(i)].store(size, std::memory_order_relaxed);
    }
    sized.store(ranges, std::memory_order_release);
  }
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_WORKRANGESIZES_H

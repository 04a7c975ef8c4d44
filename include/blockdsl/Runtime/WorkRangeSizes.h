//===- WorkRangeSizes.h - How much of a launch each thread gets ---------------------------------------------------===//
//
// Threads that run their ranges in one piece end together if their ranges are equal work and their cores equally fast.
// Of a machine's virtual cores two may be one core for a while, each half as fast. So sizes follow what ranges took.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_WORKRANGESIZES_H
#define BLOCKDSL_RUNTIME_WORKRANGESIZES_H

#include <algorithm>
#include <array>
#include <atomic>

namespace blockdsl::runtime {

/// More threads than this have ranges in common.
constexpr int kMaxWorkRanges = 64;
/// What a program of a range costs is learned from launch to launch, of which the last one counts so much ...
constexpr float kLastLaunch = 0.25F;
/// ... with at most so many times what was known: a thread may have lost its CPU.
constexpr float kMostDearer = 3;
/// Where costs differ by less, ranges are equal; and sizes with which a launch takes up to so many times the least that
/// is possible stay as they are: what goes to another range is in the wrong thread's cache.
constexpr float kEqualCosts = 1.25F;
/// A range is at most so many times longer or shorter than an equal one.
constexpr float kMostDifferent = 4;

/// A launch whose longest range takes more than so many times what they take on average has lost the rest: of two
/// threads with the halves of a triangle, one has 1.5 ...
constexpr double kEven = 1.5;
/// ... and others win that back. Once so many average ranges are lost, threads help each other ...
constexpr double kMostLost = 16;
/// ... of which one launch can lose so many: it may be chance.
constexpr double kMostLostAtOnce = 4;
/// Threads help each other for so few launches at first, and for twice as many each time that it happens again.
constexpr int kLaunchesHelped = 8, kMostLaunchesHelped = 128;

/// Concurrent launches may ask and record at the same time; a lost sample does no harm.
class WorkRangeSizes {
public:
  /// Whether threads are to run their ranges in one piece. Counts the launches that ask.
  bool areWhole() {
    int left = helped.load(std::memory_order_relaxed);
    if (left > 0)
      helped.store(left - 1, std::memory_order_relaxed);
    return left == 0;
  }

  /// Whether these ranges are not to be equal.
  bool differ(int ranges) const { return sized.load(std::memory_order_acquire) == ranges; }
  /// The range's size beside the others'.
  float of(int range) const { return sizes[static_cast<size_t>(range)].load(std::memory_order_relaxed); }

  /// After a launch in which each thread had its range in one piece: what each range took, and one program of it.
  template <typename Took, typename Cost> void record(int ranges, Took took, Cost cost) {
    double longest = 0, all = 0;
    for (int i = 0; i < ranges; ++i) {
      if (cost(i) == 0) // Nobody came for it.
        return;
      longest = std::max(longest, took(i));
      all += took(i);
    }
    bool areKnown = count.exchange(ranges, std::memory_order_relaxed) == ranges;
    if (!areKnown)
      sized.store(0, std::memory_order_relaxed);
    if (isTooMuch(longest * ranges / all - kEven)) {
      count.store(0, std::memory_order_relaxed); // Others have their data by then.
      sized.store(0, std::memory_order_relaxed);
      return;
    }
    for (int i = 0; i < ranges; ++i) {
      auto known = areKnown ? costOf(i) : static_cast<float>(cost(i));
      float last = std::min(static_cast<float>(cost(i)), known * kMostDearer);
      costs[static_cast<size_t>(i)].store(known + (last - known) * kLastLaunch, std::memory_order_relaxed);
    }
    resize(ranges);
  }

private:
  /// What a program of each range costs, and each range's size where they are not equal.
  std::array<std::atomic<float>, kMaxWorkRanges> costs{}, sizes{};
  /// How many ranges have costs, and how many have sizes.
  std::atomic<int> count{0}, sized{0};
  /// Average ranges.
  std::atomic<double> lost{0};
  std::atomic<int> helped{0}, nextHelped{kLaunchesHelped};

  float costOf(int range) const { return costs[static_cast<size_t>(range)].load(std::memory_order_relaxed); }

  /// Whether threads are to help each other, now that a launch has lost so many average ranges, or won them.
  bool isTooMuch(double ranges) {
    double now = std::max(0.0, lost.load(std::memory_order_relaxed) + std::min(ranges, kMostLostAtOnce));
    if (now == 0)
      nextHelped.store(kLaunchesHelped, std::memory_order_relaxed);
    bool isTooMuch = now >= kMostLost;
    if (isTooMuch) {
      int launches = nextHelped.load(std::memory_order_relaxed);
      helped.store(launches, std::memory_order_relaxed);
      nextHelped.store(std::min(launches * 2, kMostLaunchesHelped), std::memory_order_relaxed);
    }
    lost.store(isTooMuch ? kMostLost / 2 : now, std::memory_order_relaxed);
    return isTooMuch;
  }

  /// Who takes twice as long for a program gets half as many.
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
      float size = std::clamp(cost / costOf(i), 1 / kMostDifferent, kMostDifferent);
      sizes[static_cast<size_t>(i)].store(size, std::memory_order_relaxed);
    }
    sized.store(ranges, std::memory_order_release);
  }
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_WORKRANGESIZES_H

//===- ShareSizes.h - How much of a launch each thread gets -------------------------------------------------------===//
//
// Threads that run their shares in one piece end together if their shares are equal work and their cores equally fast.
// Of a machine's virtual cores two may be one core for a while, each half as fast. So sizes follow what shares took.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_SHARESIZES_H
#define BLOCKDSL_RUNTIME_SHARESIZES_H

#include <algorithm>
#include <array>
#include <atomic>

namespace blockdsl::runtime {

/// More threads than this have shares in common.
constexpr int kMostShares = 64;
/// A launch is uneven if its longest share takes so many times what they take on average: of two threads with the
/// halves of a triangle, one has 1.5.
constexpr double kMuchLonger = 1.4;
/// One uneven launch may be chance, or have found its data in the caches of who helped before; after so many in a row
/// the sizes change ...
constexpr int kUnevenInARow = 3;
/// ... which are right if so many launches in a row are even ...
constexpr int kEvenInARow = 8;
/// ... and after so many changes that were not, threads help each other.
constexpr int kMostChanges = 3;
/// Sizes are believed for so many launches ...
constexpr int kLaunchesBelieved = 128;
/// ... and that threads help each other for so few at first, and twice as many each time that it happens again.
constexpr int kLaunchesHelped = 8;
/// A share is at most so many times longer or shorter than the average one.
constexpr float kMostDifferent = 4;

/// Concurrent launches may ask and record at the same time; a lost sample does no harm.
class ShareSizes {
public:
  /// Whether threads are to run their shares in one piece. Counts the launches that ask.
  bool areWhole() {
    int left = believed.load(std::memory_order_relaxed);
    if (left > 0)
      believed.store(left - 1, std::memory_order_relaxed);
    else if (changes.load(std::memory_order_relaxed) != 0)
      changes.store(0, std::memory_order_relaxed);
    return changes.load(std::memory_order_relaxed) <= kMostChanges;
  }

  /// Whether these shares are not to be equal.
  bool differ(int shares) const {
    return changes.load(std::memory_order_acquire) != 0 && sized.load(std::memory_order_relaxed) == shares;
  }
  /// The share's size beside the others'.
  float of(int share) const { return sizes[static_cast<size_t>(share)].load(std::memory_order_relaxed); }

  /// After a launch in which each thread had its share in one piece: what each share took, and one program of it.
  template <typename Took, typename Cost> void record(int shares, Took took, Cost cost) {
    double longest = 0, all = 0;
    for (int i = 0; i < shares; ++i) {
      if (cost(i) == 0) // Nobody came for it.
        return;
      longest = std::max(longest, took(i));
      all += took(i);
    }
    int before =
        count.exchange(shares, std::memory_order_relaxed) == shares ? inARow.load(std::memory_order_relaxed) : 0;
    if (longest * shares <= all * kMuchLonger) {
      recordEven(before);
      return;
    }
    before = std::max(before, 0);
    for (int i = 0; i < shares; ++i) {
      std::atomic<float> &sum = costs[static_cast<size_t>(i)];
      float earlier = before == 0 ? 0 : sum.load(std::memory_order_relaxed);
      sum.store(earlier + static_cast<float>(cost(i)), std::memory_order_relaxed);
    }
    inARow.store((before + 1) % kUnevenInARow, std::memory_order_relaxed);
    if (before + 1 == kUnevenInARow)
      change(shares);
  }

private:
  /// How often sizes changed since they were right, or equal, which is 0.
  std::atomic<int> changes{0};
  /// For how many launches that is believed.
  std::atomic<int> believed{0};
  std::atomic<int> nextHelped{kLaunchesHelped};
  /// So many uneven launches, or, below zero, even ones.
  std::atomic<int> inARow{0};
  /// Of shares, in the launches that were recorded.
  std::atomic<int> count{0};
  /// Of shares that have sizes.
  std::atomic<int> sized{0};
  std::array<std::atomic<float>, kMostShares> sizes{}, costs{};

  void recordEven(int before) {
    int even = std::clamp(-before, 0, kEvenInARow - 1) + 1;
    inARow.store(-even, std::memory_order_relaxed);
    if (even < kEvenInARow)
      return;
    nextHelped.store(kLaunchesHelped, std::memory_order_relaxed);
    if (changes.load(std::memory_order_relaxed) > 1)
      changes.store(1, std::memory_order_relaxed);
  }

  /// Who takes twice as long for a program gets half as many.
  void change(int shares) {
    auto speed = [this](int i) { return 1 / costs[static_cast<size_t>(i)].load(std::memory_order_relaxed); };
    float all = 0;
    for (int i = 0; i < shares; ++i)
      all += speed(i);
    for (int i = 0; i < shares; ++i) {
      float size = std::clamp(speed(i) * static_cast<float>(shares) / all, 1 / kMostDifferent, kMostDifferent);
      sizes[static_cast<size_t>(i)].store(size, std::memory_order_relaxed);
    }
    sized.store(shares, std::memory_order_relaxed);
    int launches = kLaunchesBelieved;
    if (changes.fetch_add(1, std::memory_order_release) >= kMostChanges) {
      launches = nextHelped.load(std::memory_order_relaxed);
      nextHelped.store(std::min(launches * 2, kLaunchesBelieved), std::memory_order_relaxed);
    }
    believed.store(launches, std::memory_order_relaxed);
  }
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_SHARESIZES_H

//===- JobSlot.h - Where a launch and its workers meet ------------------------------------------------------------===//
//
// A job is gone as soon as its caller returns; a slot lives as long as the pool, so a worker may look at it at any
// time. All that threads agree on is one word, because on many cores each of them waits for it to come by: how many
// workers may still join, how many are inside, and whether the caller sleeps until they have left.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_JOBSLOT_H
#define BLOCKDSL_LIB_RUNTIME_JOBSLOT_H

#include "Futex.h"
#include "Job.h"

#include <optional>

namespace blockdsl::runtime {

/// How long a thread that has nothing to do spins before it sleeps.
constexpr auto kSpinTime = std::chrono::microseconds(40);

/// For a caller whose own part is done: waits until its workers' are. It spins, and then sleeps until the last of them
/// wakes it, or a moment has passed. False as soon as it is asked to stop.
template <typename IsOver, typename Sleep>
bool waitUntil(const Work &work, bool mayInterrupt, IsOver isOver, Sleep sleep) {
  std::optional<Clock::time_point> start; // Most are over before it is worth a look at the clock.
  for (int spins = 1; !isOver(); ++spins) {
    relax();
    if (spins % 16 != 0)
      continue;
    Clock::time_point now = Clock::now();
    if (!start)
      start = now;
    if (now - *start < kSpinTime)
      continue;
    sleep();
    if (mayInterrupt && !isOver() && work.interrupted(work.interruptedArgument))
      return false;
  }
  return true;
}

class alignas(64) JobSlot {
public:
  /// For the caller. False when another launch has the slot.
  bool take(Job &wanted) {
    Job *none = nullptr;
    return !job.load(std::memory_order_relaxed) && job.compare_exchange_strong(none, &wanted);
  }

  /// From now on so many workers may join.
  void open(int vacancies) { state.store(kVacancy * static_cast<uint32_t>(vacancies)); }

  /// From now on none may.
  void close() {
    if (hasVacancy(state.load(std::memory_order_relaxed)))
      state.fetch_and(~kVacancyMask);
  }

  /// For the caller: lets nobody in any more, waits until no worker is inside, and gives the slot back. False, with the
  /// slot still taken, as soon as the caller is asked to stop.
  bool waitUntilLeft(bool mayInterrupt) {
    close();
    const Work &work = job.load(std::memory_order_relaxed)->work;
    auto isOver = [&] { return inside() == 0; };
    auto sleep = [&] {
      uint32_t seen = state.fetch_or(kCallerSleeps) | kCallerSleeps;
      if ((seen & kInsideMask) != 0)
        sleepOn(state, seen, kInterruptInterval);
    };
    if (!waitUntil(work, mayInterrupt, isOver, sleep))
      return false;
    state.store(0, std::memory_order_relaxed);
    job.store(nullptr, std::memory_order_release);
    return true;
  }

  /// For a worker: the job, which stays until the worker leaves; null when it needs no more workers.
  Job *join() {
    uint32_t seen = state.load(std::memory_order_relaxed);
    while (hasVacancy(seen))
      if (state.compare_exchange_weak(seen, seen - kVacancy + kInside))
        return job.load(std::memory_order_relaxed);
    return nullptr;
  }

  void leave() {
    uint32_t before = state.fetch_sub(kInside);
    // The slot may be another job's now, whose caller would look and sleep again.
    if ((before & kCallerSleeps) && (before & kInsideMask) == kInside)
      wakeSleepers(state, 1);
  }

  /// How many workers are inside.
  int inside() const { return static_cast<int>(state.load(std::memory_order_acquire) & kInsideMask); }

private:
  static constexpr uint32_t kInside = 1, kInsideMask = 0x7fff, kVacancy = 1 << 15, kVacancyMask = 0x7fff << 15,
                            kCallerSleeps = 1u << 30;

  static bool hasVacancy(uint32_t state) { return (state & kVacancyMask) != 0; }

  std::atomic<Job *> job{nullptr};
  Word state{0};
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_JOBSLOT_H

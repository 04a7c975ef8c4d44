//===- JobSlot.h - Slot in which workers join and leave a launch --------------------------------------------------===//
//
// A job ends when its caller returns; a slot lives as long as the pool, so workers may read it at any time. The state
// that threads agree on is a single word, because each core waits for its cache line: the number of workers that may
// still join, the number that have joined, and whether the caller sleeps until they have left.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_JOBSLOT_H
#define BLOCKDSL_LIB_RUNTIME_JOBSLOT_H

#include "Futex.h"
#include "Job.h"

#include <optional>

namespace blockdsl::runtime {

/// Time for which an idle thread spins before it sleeps.
constexpr auto kSpinTime = std::chrono::microseconds(40);

/// Waits on the caller's thread until the workers have finished: spins, and then sleeps until the last worker wakes it
/// or a time limit has passed. Returns false as soon as the launch is interrupted.
template <typename IsOver, typename Sleep>
bool waitUntil(const Work &work, bool mayInterrupt, IsOver isOver, Sleep sleep) {
  std::optional<Clock::time_point> start; // Most waits end before the clock is read.
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
  /// Reserves the slot for the caller's job. Returns false if another launch has it.
  bool take(Job &newJob) {
    Job *none = nullptr;
    return !job.load(std::memory_order_relaxed) && job.compare_exchange_strong(none, &newJob);
  }

  /// Allows that many workers to join.
  void open(int vacancies) { state.store(kVacancy * static_cast<uint32_t>(vacancies)); }

  /// Prevents further workers from joining.
  void close() {
    if (hasVacancy(state.load(std::memory_order_relaxed)))
      state.fetch_and(~kVacancyMask);
  }

  /// Closes the slot, waits until all workers have left, and frees the slot. Returns false, with the slot still
  /// reserved, as soon as the launch is interrupted.
  bool waitUntilLeft(bool mayInterrupt) {
    close();
    const Work &work = job.load(std::memory_order_relaxed)->work;
    auto isOver = [&] { return inside() == 0; };
    auto sleep = [&] {
      uint32_t current = state.fetch_or(kCallerSleeps) | kCallerSleeps;
      if ((current & kInsideMask) != 0)
        sleepOn(state, current, kInterruptInterval);
    };
    if (!waitUntil(work, mayInterrupt, isOver, sleep))
      return false;
    state.store(0, std::memory_order_relaxed);
    job.store(nullptr, std::memory_order_release);
    return true;
  }

  /// Joins on a worker's thread. Returns the job, which lives until the worker leaves; null if it needs no more
  /// workers.
  Job *join() {
    uint32_t current = state.load(std::memory_order_relaxed);
    while (hasVacancy(current))
      if (state.compare_exchange_weak(current, current - kVacancy + kInside))
        return job.load(std::memory_order_relaxed);
    return nullptr;
  }

  void leave() {
    uint32_t before = state.fetch_sub(kInside);
    // A wakeup is harmless if another job has the slot by now: its caller sleeps again.
    if ((before & kCallerSleeps) && (before & kInsideMask) == kInside)
      wakeSleepers(state, 1);
  }

  /// Returns the number of workers that have joined and not left.
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

//===- OpenMPWorkerState.h - Estimated state of the OpenMP workers of a thread ------------------------------------===//
//
// A parallel region starts by waking its workers and ends when the last one has arrived. Both are almost free while the
// workers spin, each on its own CPU, and take up to milliseconds otherwise.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_OPENMPWORKERSTATE_H
#define BLOCKDSL_LIB_RUNTIME_OPENMPWORKERSTATE_H

#include "ThreadId.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace blockdsl::runtime {

/// Time for which a polled state is reused. Polling takes half a microsecond, and up to eight after a pause, with cold
/// caches.
constexpr auto kPollInterval = std::chrono::microseconds(500);
/// Longest time after a region for which workers are assumed to spin because they did after an earlier one. GCC's spin
/// for 300,000 iterations, which take 6 to 8 ms on a Zen 5; workers seen awake later may have run another region.
constexpr auto kLongestSpin = std::chrono::milliseconds(5);
/// After kIdleStreak consecutive long pauses at whose end the workers slept, they are not polled after the next
/// kSkippedPolls long pauses: polling takes up to ten microseconds then, for launches that may take two hundred.
constexpr int kIdleStreak = 2, kSkippedPolls = 3;
/// A region that starts or ends this late had to wait for a worker that slept or had lost its CPU. A single delay is
/// ignored, because switching to the runtime's own workers would have to wake those.
constexpr auto kMaxDelay = std::chrono::microseconds(30);
/// After two delays in a row the launches of this thread use no regions for kMinBackoff times the delay, and for twice
/// as long after each further pair, so that delays cost a small part of the time.
constexpr int kMinBackoff = 4, kMaxBackoff = 64;
/// Torch's ops wait for the same workers. Launches that follow each other within 1 / kFrequentPart of the last delay
/// show that nothing delays the workers any more. After such launches for 1 / kEarlyRetryPart of the backoff, and
/// for at least kPollInterval, a region is tried again.
constexpr int kFrequentPart = 4, kEarlyRetryPart = 8;

/// State of the workers of one thread's regions. Tests pass a clock and threads of their own.
template <typename Clock, typename Thread> class BasicOpenMPWorkerState {
public:
  /// Updates the state after a region: its first worker, which stands for all in polls, and the caller's delay.
  void recordRegion(const std::optional<Thread> &worker, typename Clock::duration delay,
                    typename Clock::time_point now = Clock::now()) {
    bool isDelayed = delay > kMaxDelay;
    lastArrival = regionEnd = now;
    idleStreak = isDelayed ? idleStreak : 0;
    if (!(first == worker)) {
      first = worker;
      isAwake = true;
      spins = {};
      idleStreak = 0;
    }
    if (isDelayed)
      spins = {};
    if (!isDelayed) {
      backoffFactor = std::max(backoffFactor / 2, kMinBackoff);
    } else if (wasDelayed && isSettled) {
      backoffEnd = regionEnd + delay * backoffFactor;
      frequent = delay / kFrequentPart;
      earlyRetry = std::max<typename Clock::duration>(delay * backoffFactor / kEarlyRetryPart, kPollInterval);
      lastRareLaunch = regionEnd;
      backoffFactor = std::min(backoffFactor * 2, kMaxBackoff);
    }
    wasDelayed = isDelayed;
    isSettled = true;
  }

  /// Returns true if a region is likely to start without delay. Unknown workers count as awake: the next region shows
  /// their state.
  bool isReady() {
    bool ready = wouldBeReady();
    isSettled = isSettled && ready;
    return ready;
  }

  /// Returns true if the workers are awake by what is known without polling them.
  bool isKnownToSpin() const {
    auto now = Clock::now();
    return isAwake && now >= backoffEnd && now - regionEnd <= spins;
  }

private:
  std::optional<Thread> first;
  bool isAwake = true;
  /// Whether the last launch was a region. Before the first one the runtime's own workers may still spin and delay it.
  bool isSettled = false;
  bool wasDelayed = false;
  int backoffFactor = kMinBackoff;
  /// Longest time after a region at which the workers were seen awake. They are not polled within it.
  typename Clock::duration spins{};
  typename Clock::time_point regionEnd{}, polled{}, backoffEnd{};
  /// Start of the last launch or end of its region, and the last launch during a backoff that was not a frequent one.
  typename Clock::time_point lastArrival{}, lastRareLaunch{};
  /// Consecutive long pauses after which the workers slept, and long pauses without a poll since then.
  int idleStreak = 0, skippedPolls = 0;
  typename Clock::duration frequent{}, earlyRetry{};

  bool isBackingOff(typename Clock::time_point now, typename Clock::duration pause) {
    if (pause >= frequent)
      lastRareLaunch = now;
    if (now - lastRareLaunch >= earlyRetry)
      backoffEnd = std::min(backoffEnd, now);
    return now < backoffEnd;
  }

  bool wouldBeReady() {
    auto now = Clock::now();
    typename Clock::duration pause = now - lastArrival;
    lastArrival = now;
    if (now < backoffEnd && isBackingOff(now, pause))
      return false;
    if (!first || now - polled < kPollInterval || (isAwake && now - regionEnd <= spins))
      return isAwake;
    bool isAfterPause = pause > kLongestSpin;
    if (isAfterPause && idleStreak >= kIdleStreak && skippedPolls < kSkippedPolls) {
      ++skippedPolls;
      return false;
    }
    polled = now;
    isAwake = first->mayBeAwake();
    idleStreak = isAwake ? 0 : idleStreak + (isAfterPause ? 1 : 0);
    skippedPolls = 0;
    spins = isAwake ? std::max(spins, std::min<typename Clock::duration>(now - regionEnd, kLongestSpin)) : spins.zero();
    return isAwake;
  }
};

using OpenMPWorkerState = BasicOpenMPWorkerState<std::chrono::steady_clock, ThreadId>;

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_OPENMPWORKERSTATE_H

//===- Team.h - Whether a thread's OpenMP workers would begin at once ---------------------------------------------===//
//
// A region begins with waking its workers and ends when the last one has come. Both take next to nothing while they
// spin, each on a CPU of its own, and up to milliseconds otherwise.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_TEAM_H
#define BLOCKDSL_LIB_RUNTIME_TEAM_H

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <pthread.h>

namespace blockdsl::runtime {

/// For so long what the system says about workers is believed. It takes half a microsecond to ask it, and up to eight
/// after a pause, when its caches are cold.
constexpr auto kBelieved = std::chrono::microseconds(500);
/// For no longer than this after a region are workers believed to spin because they did before. GCC's do for 300,000
/// turns, which is 6 to 8 ms on a Zen 5; what they were seen to do for longer may be another region's doing.
constexpr auto kLongestSpin = std::chrono::milliseconds(5);
/// Who slept after so many longer pauses in a row is not asked about after so many more: it takes up to ten
/// microseconds then, for launches that may take two hundred.
constexpr int kPausesAsleep = 2, kPausesUnasked = 3;
/// A region that begins or ends so much later than its caller could has had to wait for a worker who sleeps, or whose
/// CPU somebody else has. Once is chance, and our own workers would have to be woken up ...
constexpr auto kHeldUp = std::chrono::microseconds(30);
/// ... but after the second time in a row this thread's launches do without for so many times as long: for longer and
/// longer where it happens again, so that they lose a small part of their time.
constexpr int kLeastWithout = 4, kMostWithout = 64;
/// Torch's ops wait for the same workers. Where launches follow each other, each within such a part of what held the
/// last region up, nothing holds workers up any more; once they have done so for such a part of the time to do without,
/// and for as long as the system is believed, a region is tried again.
constexpr int kQuickly = 4, kSooner = 8;

/// A thread, to others who ask the system about it.
struct ThreadId {
  clockid_t clock{};

  static ThreadId own() {
    ThreadId id;
    pthread_getcpuclockid(pthread_self(), &id.clock);
    return id;
  }
  /// Nanoseconds that it has had a CPU; -1 when it has ended.
  int64_t ran() const {
    timespec time;
    return clock_gettime(clock, &time) == 0 ? time.tv_sec * int64_t{1000000000} + time.tv_nsec : -1;
  }
  inline bool mayBeAwake() const;

  bool operator==(const ThreadId &other) const { return clock == other.clock; }
};

/// Whether the system counts what a thread has run as it runs, and not by the tick, of a millisecond or more.
inline bool clocksAreFine() {
  static const bool areFine = [] {
    constexpr auto kSome = std::chrono::microseconds(20);
    ThreadId own = ThreadId::own();
    int64_t before = own.ran();
    auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < kSome) {
    }
    int64_t ran = own.ran() - before;
    return 0 < ran && ran < 1000000;
  }();
  return areFine;
}

/// Whether the thread has a CPU, and not the caller's, at this moment: its clock moves from one look to the next. Or
/// nobody knows, because it has ended, or clocks move by the tick.
///
/// /proc says who sleeps, too, in four times as long, and who asks it keeps a Linux 6.18 from sharing its CPUs well: of
/// launches in a row on two CPUs, a quarter went on with both threads on one of them for ten milliseconds.
inline bool ThreadId::mayBeAwake() const {
  int64_t before = ran();
  return before < 0 || ran() != before || !clocksAreFine();
}

/// What a thread knows of the workers of its regions. Clock and threads are others in tests, which last as long as they
/// say.
template <typename Clock, typename Thread> class TeamBy {
public:
  /// After a region: its first worker, who is asked for the others; and how long the caller was held up.
  void meet(const std::optional<Thread> &worker, typename Clock::duration held,
            typename Clock::time_point now = Clock::now()) {
    bool isHeldUp = held > kHeldUp;
    cameLast = met = now;
    pausesAsleep = isHeldUp ? pausesAsleep : 0;
    if (!(first == worker)) {
      first = worker;
      isAwake = true;
      spins = {};
      pausesAsleep = 0;
    }
    if (isHeldUp)
      spins = {};
    if (!isHeldUp) {
      timesWithout = std::max(timesWithout / 2, kLeastWithout);
    } else if (wasHeldUp && isSettled) {
      notBefore = met + held * timesWithout;
      quickly = held / kQuickly;
      sooner = std::max<typename Clock::duration>(held * timesWithout / kSooner, kBelieved);
      lateLaunch = met;
      timesWithout = std::min(timesWithout * 2, kMostWithout);
    }
    wasHeldUp = isHeldUp;
    isSettled = true;
  }

  /// Somebody who has not been met, or of whom nobody knows, counts as awake: the next region tells.
  bool isReady() {
    bool ready = wouldBeReady();
    isSettled = isSettled && ready;
    return ready;
  }

  /// Whether that is known without asking.
  bool isKnownToSpin() const {
    auto now = Clock::now();
    return isAwake && now >= notBefore && now - met <= spins;
  }

private:
  std::optional<Thread> first;
  bool isAwake = true;
  /// Whether the last launch was a region. Before the first one our own workers may still spin, and hold it up.
  bool isSettled = false;
  bool wasHeldUp = false;
  int timesWithout = kLeastWithout;
  /// So long after a region they were seen awake: it is not asked again within that time.
  typename Clock::duration spins{};
  typename Clock::time_point met{}, asked{}, notBefore{};
  /// When the last launch came, or its region ended; and of those that do without, the last one that did not come
  /// quickly.
  typename Clock::time_point cameLast{}, lateLaunch{};
  /// After how many pauses in a row they slept; and how many more they were not asked about since.
  int pausesAsleep = 0, pausesUnasked = 0;
  typename Clock::duration quickly{}, sooner{};

  bool doesWithout(typename Clock::time_point now, typename Clock::duration pause) {
    if (pause >= quickly)
      lateLaunch = now;
    if (now - lateLaunch >= sooner)
      notBefore = std::min(notBefore, now);
    return now < notBefore;
  }

  bool wouldBeReady() {
    auto now = Clock::now();
    typename Clock::duration pause = now - cameLast;
    cameLast = now;
    if (now < notBefore && doesWithout(now, pause))
      return false;
    if (!first || now - asked < kBelieved || (isAwake && now - met <= spins))
      return isAwake;
    bool isAfterPause = pause > kLongestSpin;
    if (isAfterPause && pausesAsleep >= kPausesAsleep && pausesUnasked < kPausesUnasked) {
      ++pausesUnasked;
      return false;
    }
    asked = now;
    isAwake = first->mayBeAwake();
    pausesAsleep = isAwake ? 0 : pausesAsleep + (isAfterPause ? 1 : 0);
    pausesUnasked = 0;
    spins = isAwake ? std::max(spins, std::min<typename Clock::duration>(now - met, kLongestSpin)) : spins.zero();
    return isAwake;
  }
};

using Team = TeamBy<std::chrono::steady_clock, ThreadId>;

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_TEAM_H

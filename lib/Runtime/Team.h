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
#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace blockdsl::runtime {

/// For so long what the system says about workers is believed. It takes a microsecond or two to ask, and to be asked
/// keeps a Linux 6.18 from sharing its CPUs well: of launches in a row on two CPUs, a quarter went on with both threads
/// on one of them for ten milliseconds. So a clock tells of workers who sleep that they still do ...
constexpr auto kBelieved = std::chrono::microseconds(500);
/// ... and up to twenty after such a pause, when the system's caches are cold. A clock is read in five.
constexpr auto kPause = std::chrono::milliseconds(2);
/// For no longer than this after a region are workers believed to spin because they did before. GCC's do for 300,000
/// turns, which is 6 to 8 ms on a Zen 5; what they were seen to do for longer may be another region's doing.
constexpr auto kLongestSpin = std::chrono::milliseconds(5);
/// A region that begins or ends so much later than its caller could has had to wait for a worker who sleeps, or whose
/// CPU somebody else has. Once is chance, and our own workers would have to be woken up ...
constexpr auto kHeldUp = std::chrono::microseconds(30);
/// ... but after the second time in a row this thread's launches do without for so many times as long: for longer and
/// longer where it happens again, so that they lose a small part of their time.
constexpr int kLeastWithout = 4, kMostWithout = 64;

/// A thread, to others who ask the system about it.
struct ThreadId {
  long number = 0;
  clockid_t clock{};

  static ThreadId own() {
    ThreadId id{syscall(SYS_gettid), {}};
    pthread_getcpuclockid(pthread_self(), &id.clock);
    return id;
  }
  /// Nanoseconds that it has had a CPU, which stand still while it sleeps; -1 when it has ended. Some systems count by
  /// the tick, and a thread that has just woken up has none.
  int64_t ran() const {
    timespec time;
    return clock_gettime(clock, &time) == 0 ? time.tv_sec * int64_t{1000000000} + time.tv_nsec : -1;
  }
};

/// Whether a thread that has just woken up is seen to have run: not where time is counted by the tick, of a
/// millisecond or more.
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

/// What a thread knows of the workers of its regions. The clock is another in tests, which last as long as they say.
template <typename Clock> class TeamBy {
public:
  TeamBy() = default;
  TeamBy(const TeamBy &) = delete;
  TeamBy &operator=(const TeamBy &) = delete;
  ~TeamBy() { forget(); }

  /// After a region: its first worker, to whom the system is asked whether he sleeps; and how long the caller was held
  /// up.
  void meet(const ThreadId &worker, typename Clock::duration held) {
    bool isHeldUp = held > kHeldUp;
    met = Clock::now();
    if (isHeldUp)
      spins = {};
    if (!isHeldUp) {
      timesWithout = std::max(timesWithout / 2, kLeastWithout);
    } else if (wasHeldUp && isSettled) {
      notBefore = met + held * timesWithout;
      timesWithout = std::min(timesWithout * 2, kMostWithout);
    }
    wasHeldUp = isHeldUp;
    isSettled = true;
    if (worker.number == first.number)
      return;
    forget();
    spins = {};
    first = worker;
    char path[64];
    std::snprintf(path, sizeof(path), "/proc/self/task/%ld/syscall", first.number);
    file = open(path, O_RDONLY | O_CLOEXEC);
  }

  /// Somebody who has not been met, has ended, or is not shown, counts as awake: the next region tells.
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
  ThreadId first;
  int file = -1;
  bool isAwake = true;
  int64_t ranAsleep = 0;
  /// Whether the last launch was a region. Before the first one our own workers may still spin, and hold it up.
  bool isSettled = false;
  bool wasHeldUp = false;
  int timesWithout = kLeastWithout;
  /// So long after a region they were seen awake: it is not asked again within that time.
  typename Clock::duration spins{};
  typename Clock::time_point met{}, asked{}, notBefore{};

  bool wouldBeReady() {
    auto now = Clock::now();
    if (now < notBefore)
      return false;
    if (file < 0 || now - asked < kBelieved)
      return isAwake;
    if (isAwake && now - met <= spins)
      return true;
    bool isPaused = now - asked > kPause;
    asked = now;
    if (!isAwake && (isPaused || clocksAreFine()) && first.ran() == ranAsleep)
      return false;
    char state = 'r';
    if (pread(file, &state, 1, 0) != 1)
      forget();
    // "running", or else the number of the system call that it is in.
    isAwake = state == 'r';
    if (isAwake) {
      spins = std::max(spins, std::min<typename Clock::duration>(now - met, kLongestSpin));
    } else {
      spins = {};
      ranAsleep = first.ran();
    }
    return isAwake;
  }

  void forget() {
    if (file >= 0)
      close(file);
    file = -1;
    first = {};
  }
};

using Team = TeamBy<std::chrono::steady_clock>;

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_TEAM_H

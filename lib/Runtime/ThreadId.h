//===- ThreadId.h - Handle of a thread whose CPU time others can read ---------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_THREADID_H
#define BLOCKDSL_LIB_RUNTIME_THREADID_H

#include <chrono>
#include <cstdint>
#include <ctime>
#include <pthread.h>

namespace blockdsl::runtime {

/// The clock of a thread's CPU time, which any thread of the process may read.
struct ThreadId {
  clockid_t clock{};

  static ThreadId current() {
    ThreadId id;
    pthread_getcpuclockid(pthread_self(), &id.clock);
    return id;
  }
  /// Returns the thread's CPU time in nanoseconds, or -1 if the thread has ended.
  int64_t ran() const {
    timespec time;
    return clock_gettime(clock, &time) == 0 ? time.tv_sec * int64_t{1000000000} + time.tv_nsec : -1;
  }
  inline bool mayBeAwake() const;

  bool operator==(const ThreadId &other) const { return clock == other.clock; }
};

/// Returns true if the system updates CPU time continuously, not once per tick of a millisecond or more.
inline bool clocksAreFine() {
  static const bool areFine = [] {
    constexpr auto kSome = std::chrono::microseconds(20);
    ThreadId thread = ThreadId::current();
    int64_t before = thread.ran();
    auto start = std::chrono::steady_clock::now();
    while (std::chrono::steady_clock::now() - start < kSome) {
    }
    int64_t ran = thread.ran() - before;
    return 0 < ran && ran < 1000000;
  }();
  return areFine;
}

/// Returns true if the thread runs now, on another CPU than the caller's: its CPU time grows between two reads. Also
/// returns true if that cannot be known, because the thread has ended or CPU time is updated once per tick.
///
/// /proc has the state of threads too, but reading it takes four times as long and disturbs the scheduler of
/// Linux 6.18: a quarter of repeated launches on two CPUs ran both threads on one of them for ten milliseconds.
inline bool ThreadId::mayBeAwake() const {
  int64_t before = ran();
  return before < 0 || ran() != before || !clocksAreFine();
}

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_THREADID_H

//===- Futex.h - Sleeping on a 32-bit word ------------------------------------------------------------------------===//
//
// `std::atomic::wait` has no time limit, which callers need to check for Ctrl-C.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_FUTEX_H
#define BLOCKDSL_LIB_RUNTIME_FUTEX_H

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#if defined(__linux__)
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace blockdsl::runtime {

using Word = std::atomic<uint32_t>;
static_assert(sizeof(Word) == sizeof(uint32_t) && Word::is_always_lock_free);

/// Sleeps until `word` differs from `seen`, another thread wakes this one, or the time limit has passed. May return
/// early.
inline void sleepOn(Word &word, uint32_t seen, std::chrono::nanoseconds limit) {
#if defined(__linux__)
  timespec time{limit.count() / 1000000000, limit.count() % 1000000000};
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, &time, nullptr, 0);
#else
  if (word.load() == seen)
    std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(limit, std::chrono::microseconds(50)));
#endif
}

/// Wakes up to `count` threads that sleep on `word`.
inline void wakeSleepers(Word &word, int count) {
#if defined(__linux__)
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
#endif
}

/// Hints to the core that this is a spin loop.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_FUTEX_H

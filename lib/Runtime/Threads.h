//===- Threads.h - Starts threads of the runtime ------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_THREADS_H
#define BLOCKDSL_LIB_RUNTIME_THREADS_H

#include <csignal>
#include <cstddef>
#include <pthread.h>

namespace blockdsl::runtime {

/// Stack size of the runtime's threads: enough for a kernel and a function of libm. The system's default may be less,
/// and is usually more, which matters if address space is limited.
constexpr size_t kStackBytes = 2 << 20;

/// Starts a detached thread. It blocks all signals, which Python's threads handle, except for those of its own faults.
/// Returns false if the system cannot start another thread.
inline bool startThread(void *(*run)(void *), void *argument) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, before;
  sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
    sigdelset(&all, fault);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  bool started = pthread_create(&thread, &attributes, run, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_THREADS_H

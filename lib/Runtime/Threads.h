//===- Threads.h - Threads of ours --------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_THREADS_H
#define BLOCKDSL_LIB_RUNTIME_THREADS_H

#include <csignal>
#include <cstddef>
#include <pthread.h>

namespace blockdsl::runtime {

/// The stack of a thread of ours: a kernel's frame, and what a function of libm needs. The system's default may be
/// less, and is usually more, which counts where address space is limited.
constexpr size_t kStackBytes = 2 << 20;

/// Starts a thread that nobody waits for. It gets no signals: they belong to the threads that Python knows; but those
/// of its own faults are handled as on any thread. False when there are no more threads to be had.
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

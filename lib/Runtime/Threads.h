//===- Threads.h - Threads of ours --------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_THREADS_H
#define BLOCKDSL_LIB_RUNTIME_THREADS_H

#include <csignal>
#include <cstddef>
#include <pthread.h>

namespace blockdsl::runtime {

/// Starts a thread that nobody waits for, with the system's size of stack where `stackBytes` is 0. It gets no signals:
/// they belong to the threads that Python knows; but those of its own faults are handled as on any thread. False when
/// there are no more threads to be had.
inline bool startThread(void *(*run)(void *), void *argument, size_t stackBytes = 0) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  if (stackBytes != 0)
    pthread_attr_setstacksize(&attributes, stackBytes);
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

//===- Pool.cpp - Workers, and how they find work -----------------------------------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Pool.h"

#include "Arena.h"

#include <csignal>
#include <memory>
#include <pthread.h>

using namespace blockdsl::runtime;

namespace {

constexpr auto kSpinTime = std::chrono::microseconds(40);

/// How often a lock that is held is looked at before the thread sleeps: it is held for some dozen instructions, and
/// waking a thread takes longer than a short launch.
constexpr int kLockAttempts = 1000;

std::unique_lock<std::mutex> spinThenLock(std::mutex &mutex) {
  std::unique_lock<std::mutex> lock(mutex, std::try_to_lock);
  for (int i = 0; i < kLockAttempts && !lock; ++i) {
    relax();
    lock.try_lock();
  }
  if (!lock)
    lock.lock();
  return lock;
}

/// What a new thread is told.
struct WorkerStart {
  Pool &pool;
  int number;
};

std::atomic<Pool *> thePool{nullptr};

} // namespace

Pool &Pool::get() {
  Pool *pool = thePool.load(std::memory_order_acquire);
  if (pool)
    return *pool;
  // Never freed: workers are inside it until the process ends, and a forked child cannot know the state of its locks.
  static const int registered = pthread_atfork(nullptr, nullptr, [] { thePool.store(nullptr); });
  (void)registered; // ENOMEM at most; then a child of fork waits for threads it does not have.
  auto *fresh = new Pool;
  if (thePool.compare_exchange_strong(pool, fresh))
    return *fresh;
  delete fresh;
  return *pool;
}

void Pool::startWorker() {
  // Signals belong to the threads that Python knows.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  auto start = std::make_unique<WorkerStart>(WorkerStart{*this, workers});
  if (pthread_create(&thread, nullptr, workerMain, start.get()) == 0) {
    start.release(); // The worker's now.
    pthread_detach(thread);
    ++workers;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Pool::publish(Job &job) {
  int wanted = job.vacancies;
  {
    std::unique_lock<std::mutex> lock = spinThenLock(mutex);
    while (workers < wanted) {
      int before = workers;
      startWorker();
      if (workers == before)
        break; // No more threads to be had: those there are, and the caller, do the work.
    }
    // At the end: an earlier launch may hold what a later one waits for.
    Job *head = jobs.load(std::memory_order_relaxed);
    if (!head) {
      jobs.store(&job, std::memory_order_release);
    } else {
      while (head->following)
        head = head->following;
      head->following = &job;
    }
  }
  epoch.fetch_add(1);
  // A spinning worker sees the new epoch by itself, even if it goes to sleep now.
  int asleep = wanted - spinning.load();
  if (asleep > 0)
    wakeSleepers(epoch, asleep);
}

void Pool::withdraw(Job &job) {
  std::unique_lock<std::mutex> lock = spinThenLock(mutex);
  Job *head = jobs.load(std::memory_order_relaxed);
  if (head == &job) {
    jobs.store(job.following, std::memory_order_release);
    return;
  }
  while (head->following != &job)
    head = head->following;
  head->following = job.following;
}

bool Pool::waitUntilLeft(Job &job, bool mayInterrupt) {
  Clock::time_point start = Clock::now();
  while (job.running.load(std::memory_order_acquire) != 0) {
    if (Clock::now() - start < kSpinTime) {
      for (int i = 0; i < 16; ++i)
        relax();
      continue;
    }
    uint32_t seen = departures.load();
    sleepingCallers.fetch_add(1);
    if (job.running.load() != 0)
      sleepOn(departures, seen, kInterruptInterval);
    sleepingCallers.fetch_sub(1);
    if (mayInterrupt && job.running.load(std::memory_order_acquire) != 0 &&
        job.work.interrupted(job.work.interruptedArgument))
      return false;
  }
  return true;
}

Job *Pool::join() {
  if (!jobs.load(std::memory_order_acquire))
    return nullptr;
  std::unique_lock<std::mutex> lock = spinThenLock(mutex);
  for (Job *job = jobs.load(std::memory_order_relaxed); job; job = job->following) {
    if (job->vacancies == 0 || job->exhausted.load(std::memory_order_relaxed))
      continue;
    --job->vacancies;
    job->running.fetch_add(1, std::memory_order_relaxed);
    return job;
  }
  return nullptr;
}

void Pool::leave(Job &job) {
  job.running.fetch_sub(1);
  // The job may be gone now.
  departures.fetch_add(1);
  if (sleepingCallers.load() != 0)
    wakeSleepers(departures, INT32_MAX);
}

void Pool::waitForWork(uint32_t seen) {
  spinning.fetch_add(1);
  Clock::time_point start = Clock::now();
  while (epoch.load() == seen && Clock::now() - start < kSpinTime)
    for (int i = 0; i < 16 && epoch.load(std::memory_order_relaxed) == seen; ++i)
      relax();
  spinning.fetch_sub(1);
  while (epoch.load() == seen)
    sleepOn(epoch, seen, std::chrono::hours(1));
}

void *Pool::workerMain(void *argument) {
  std::unique_ptr<WorkerStart> start(static_cast<WorkerStart *>(argument));
  Pool &pool = start->pool;
  int number = start->number;
  thread_local Arena arena;
  for (;;) {
    // Before looking for a job, so that one published meanwhile is not slept through.
    uint32_t seen = pool.epoch.load();
    Job *job = pool.join();
    if (!job) {
      pool.waitForWork(seen);
      continue;
    }
    const Work &work = job->work;
    void *scratch = arena.reserve(work.scratchBytes);
    Clock::time_point now = Clock::now();
    // The same from launch to launch. Where more workers live than this job wants, two may share one.
    int own = 1 + number % (job->shareCount - 1);
    int64_t first, last;
    while ((scratch || work.scratchBytes == 0) && job->claim(own, first, last))
      now = job->runChunk(first, last, scratch, now);
    pool.leave(*job);
  }
  return nullptr;
}

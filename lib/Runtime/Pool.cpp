//===- Pool.cpp - Workers, and how they find work -----------------------------------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Pool.h"

#include "blockdsl/Runtime/CPUs.h"

#include "Threads.h"

#include <memory>
#include <new>
#include <pthread.h>

using namespace blockdsl::runtime;

namespace {

/// A worker that had no part in the last launch lets those who had go first at the next, whose data may be in their
/// cores' caches. About a microsecond.
constexpr int kTurnsBehind = 16;

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
  // Never freed: workers are inside it until the process ends, and a forked child cannot know the state of its lock.
  static const int registered = pthread_atfork(nullptr, nullptr, [] { thePool.store(nullptr); });
  (void)registered; // ENOMEM at most; then a child of fork waits for threads it does not have.
  auto *fresh = new Pool;
  if (thePool.compare_exchange_strong(pool, fresh))
    return *fresh;
  delete fresh;
  return *pool;
}

Executor &blockdsl::runtime::ownExecutor() { return Pool::get(); }

bool Pool::startWorker() {
  std::unique_ptr<WorkerStart> start(new (std::nothrow) WorkerStart{*this, workers.load()});
  if (!start || !startThread(workerMain, start.get()))
    return false;
  start.release(); // The worker's now.
  workers.fetch_add(1);
  return true;
}

void Pool::startWorkers(int wanted) {
  std::lock_guard<std::mutex> lock(starting);
  while (workers.load() < wanted)
    if (!startWorker())
      return; // No more threads to be had: those there are, and the caller, do the work.
}

JobSlot *Pool::publish(Job &job, int wanted) {
  if (workers.load() < wanted)
    startWorkers(wanted);
  JobSlot *own = nullptr;
  int busy = 0;
  for (JobSlot &slot : slots) {
    if (!own && slot.take(job))
      own = &slot;
    else
      busy += slot.inside();
  }
  if (!own)
    return nullptr;
  own->open(wanted);
  callersCPU.store(currentCPU(), std::memory_order_relaxed);
  epoch.fetch_add(1);
  // A spinning worker sees the new epoch by itself, even if it goes to sleep now.
  int asleep = sleeping.load();
  int missing = wanted - (workers.load() - asleep - busy);
  if (asleep > 0 && missing > 0)
    wakeSleepers(epoch, missing);
  return own;
}

bool Pool::waitForWork(uint32_t seen, Clock::time_point idleSince) {
  while (Clock::now() - idleSince < kSpinTime)
    for (int i = 0; i < 16; ++i) {
      if (epoch.load() != seen)
        return true;
      relax();
    }
  sleeping.fetch_add(1);
  while (epoch.load() == seen)
    sleepOn(epoch, seen, std::chrono::hours(1));
  sleeping.fetch_sub(1);
  return false;
}

int Pool::threadsFor(double ns, int most) const { return blockdsl::runtime::threadsFor(ns, kWokenPartNs, most); }

bool Pool::run(Job &job, int workers, void *scratch) {
  JobSlot *slot = publish(job, workers);
  bool finished = runCallerChunks(job, scratch);
  return slot ? waitForWorkers(job, *slot, finished) : finished;
}

bool Pool::workOnce(int number) {
  bool worked = false;
  for (JobSlot &slot : slots) {
    Job *job = slot.join();
    if (!job)
      continue;
    worked = true;
    runWorkerChunks(*job, number);
    slot.close(); // Nothing is left to claim, or nothing that more workers would help with.
    slot.leave();
  }
  return worked;
}

void *Pool::workerMain(void *argument) {
  std::unique_ptr<WorkerStart> start(static_cast<WorkerStart *>(argument));
  Pool &pool = start->pool;
  int number = start->number;
  Clock::time_point idleSince = Clock::now();
  bool worked = false;
  for (;;) {
    // Before looking for a job, so that one published meanwhile is not slept through.
    uint32_t seen = pool.epoch.load();
    // Before it joins: a caller waits for those inside.
    if (int cpu = currentCPU(); cpu == pool.callersCPU.load(std::memory_order_relaxed))
      stayOff(cpu);
    if (pool.workOnce(number)) {
      worked = true;
      idleSince = Clock::now();
      continue;
    }
    bool isAwake = pool.waitForWork(seen, idleSince);
    if (!isAwake) // Who wakes too late for one launch is awake for the next.
      idleSince = Clock::now();
    for (int i = 0; isAwake && !worked && i < kTurnsBehind; ++i)
      relax();
    worked = false;
  }
  return nullptr;
}

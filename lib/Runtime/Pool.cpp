//===- Pool.cpp - Executor on the runtime's own threads -----------------------------------------------------------===//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Pool.h"

#include "blockdsl/Runtime/CPUs.h"

#include "Threads.h"

#include <memory>
#include <new>
#include <pthread.h>

using namespace blockdsl::runtime;

namespace {

/// Pauses, about a microsecond, of a worker that did not run programs of the last launch: it lets those join first that
/// did, whose caches may have the data.
constexpr int kPausesBehind = 16;

/// Argument of a new thread.
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
  // Never freed: workers use it until the process ends, and the state of its lock is unknown in a child of fork.
  static const int registered = pthread_atfork(nullptr, nullptr, [] { thePool.store(nullptr); });
  (void)registered; // On ENOMEM a child of fork waits for threads that it does not have.
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
  start.release(); // Owned by the worker.
  workers.fetch_add(1);
  return true;
}

void Pool::startWorkers(int count) {
  std::lock_guard<std::mutex> lock(starting);
  while (workers.load() < count)
    if (!startWorker())
      return; // The existing threads and the caller run the launch.
}

JobSlot *Pool::publish(Job &job, int count) {
  if (workers.load() < count)
    startWorkers(count);
  JobSlot *ownSlot = nullptr;
  int busy = 0;
  for (JobSlot &slot : slots) {
    if (!ownSlot && slot.take(job))
      ownSlot = &slot;
    else
      busy += slot.inside();
  }
  if (!ownSlot)
    return nullptr;
  ownSlot->open(count);
  callersCPU.store(currentCPU(), std::memory_order_relaxed);
  epoch.fetch_add(1);
  // A spinning worker sees the new epoch by itself, even if it is about to sleep.
  int asleep = sleeping.load();
  int missing = count - (workers.load() - asleep - busy);
  if (asleep > 0 && missing > 0)
    wakeSleepers(epoch, missing);
  return ownSlot;
}

bool Pool::waitForWork(uint32_t seenEpoch, Clock::time_point idleSince) {
  while (Clock::now() - idleSince < kSpinTime)
    for (int i = 0; i < 16; ++i) {
      if (epoch.load() != seenEpoch)
        return true;
      relax();
    }
  sleeping.fetch_add(1);
  while (epoch.load() == seenEpoch)
    sleepOn(epoch, seenEpoch, std::chrono::hours(1));
  sleeping.fetch_sub(1);
  return false;
}

int Pool::threadsFor(double ns, int maximum) const { return blockdsl::runtime::threadsFor(ns, kWokenPartNs, maximum); }

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
    slot.close(); // No program is left that another worker could run sooner.
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
    // Read before the search, so that the worker does not sleep through a job published meanwhile.
    uint32_t seenEpoch = pool.epoch.load();
    // Moves before it joins, because callers wait for joined workers.
    if (int cpu = currentCPU(); cpu == pool.callersCPU.load(std::memory_order_relaxed))
      stayOff(cpu);
    if (pool.workOnce(number)) {
      worked = true;
      idleSince = Clock::now();
      continue;
    }
    bool isAwake = pool.waitForWork(seenEpoch, idleSince);
    if (!isAwake) // A worker that wakes up too late for one launch spins for the next.
      idleSince = Clock::now();
    for (int i = 0; isAwake && !worked && i < kPausesBehind; ++i)
      relax();
    worked = false;
  }
  return nullptr;
}

//===- ParallelFor.cpp - The thread pool --------------------------------------------------------------------------===//
//
// Workers look for a job, run chunks of it, and look again; without one they spin for a moment (the next launch is
// usually microseconds away) and then sleep. Each thread has a share of the programs and helps with the others' when it
// is through with its own. A job lives on the stack of the thread that launches it. Numbers of CPUs live in CPUs.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "blockdsl/Runtime/ParallelFor.h"

#include "blockdsl/Runtime/Interruption.h"

#include "Arena.h"
#include "Futex.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

using namespace blockdsl::runtime;

namespace {

using Clock = std::chrono::steady_clock;

/// Below this much work a second thread costs more than it saves.
constexpr double kSmallNs = 10e3;
/// A chunk is at least this long, so that the shared counter is no cost ...
constexpr double kShortestChunkNs = 5e3;
/// ... and at most this long, so that Ctrl-C is heard and the threads end together.
constexpr double kLongestChunkNs = 500e3;
constexpr auto kSpinTime = std::chrono::microseconds(40);
constexpr auto kInterruptInterval = std::chrono::milliseconds(10);

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

int64_t nanosecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count();
}

/// Programs that one thread starts with. A launch usually touches what the one before it did, and the same programs
/// on the same thread find it in the core's own cache.
struct alignas(64) Share {
  std::atomic<int64_t> next{0};
  int64_t end = 0;
};

struct Job {
  Job(const Work &work, int64_t first, double nsPerProgram, int threads)
      : work(work), shares(threads), chunk(programsIn(kShortestChunkNs, nsPerProgram)),
        chunkNs(std::clamp(nsPerProgram * static_cast<double>(work.programs - first) / (threads * 8.0),
                           kShortestChunkNs, kLongestChunkNs)),
        vacancies(threads - 1) {
    for (int i = 0; i < threads; ++i) {
      shares[i].next.store(first, std::memory_order_relaxed);
      first += (work.programs - first) / (threads - i);
      shares[i].end = first;
    }
  }

  const Work &work;
  /// The caller's is the first.
  std::vector<Share> shares;
  /// Programs a chunk. Starts short, because the cost learned from earlier launches may be wrong for this one.
  std::atomic<int64_t> chunk;
  const double chunkNs;
  /// Workers that may still join. Guarded by the pool's mutex.
  int vacancies;
  /// Workers inside. Grows under the pool's mutex only; whoever makes it smaller touches the job no more.
  std::atomic<int> running{0};
  /// Nothing is left to claim.
  std::atomic<bool> exhausted{false};
  Job *following = nullptr;

  void dropRest() {
    for (Share &share : shares)
      share.next.store(share.end, std::memory_order_relaxed);
    exhausted.store(true, std::memory_order_relaxed);
  }

  /// Takes the next chunk of a thread's own share, or else of the first that follows and has one; false when there is
  /// none.
  bool claim(size_t own, int64_t &first, int64_t &last) {
    if (work.context->hasFailed() || work.context->isStopped())
      dropRest();
    for (size_t i = 0; i < shares.size(); ++i) {
      Share &share = shares[(own + i) % shares.size()];
      if (share.next.load(std::memory_order_relaxed) >= share.end)
        continue;
      int64_t size = chunk.load(std::memory_order_relaxed);
      first = share.next.fetch_add(size, std::memory_order_relaxed);
      last = std::min(first + size, share.end);
      if (first < last)
        return true;
    }
    exhausted.store(true, std::memory_order_relaxed);
    return false;
  }

  /// Runs a chunk and moves the chunk size towards the length that is wanted. Returns when it ended.
  Clock::time_point runChunk(int64_t first, int64_t last, void *scratch, Clock::time_point start) {
    work.function(work.args, first, last, scratch);
    Clock::time_point end = Clock::now();
    if (work.context->isStopped())
      return end; // It tells nothing about the cost.
    int64_t ns = std::chrono::duration_cast<std::chrono::nanoseconds>(end - start).count();
    work.cost->record(ns, last - first);
    int64_t fitting = programsIn(chunkNs, static_cast<double>(std::max<int64_t>(ns, 1)) / (last - first));
    chunk.store(std::min(fitting, (last - first) * 2), std::memory_order_relaxed);
    return end;
  }

  int64_t programsIn(double ns, double nsPerProgram) const {
    return std::max<int64_t>(1, static_cast<int64_t>(std::min(ns / nsPerProgram, double(work.programs))));
  }
};

class Pool;

/// What a new thread is told.
struct WorkerStart {
  Pool &pool;
  int number;
};

class Pool {
public:
  /// The process's pool. A child of fork has none of its parent's threads and gets a pool of its own.
  static Pool &get();

  /// Offers the job to the workers, starting those that are missing.
  void publish(Job &job);
  /// Takes the offer back: from now on no worker joins.
  void withdraw(Job &job);
  /// Waits until no worker is inside the job. False as soon as the caller is asked to stop.
  bool waitUntilLeft(Job &job, bool mayInterrupt);

private:
  static void *workerMain(void *start);
  void startWorker();
  Job *join();
  void leave(Job &job);
  void waitForWork(uint32_t seen);

  std::mutex mutex;
  std::atomic<Job *> jobs{nullptr};
  int workers = 0;
  /// Grows with every published job.
  Word epoch{0};
  std::atomic<int> spinning{0};
  /// Grows whenever a worker leaves a job.
  Word departures{0};
  std::atomic<int> sleepingCallers{0};
};

std::atomic<Pool *> thePool{nullptr};

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
  auto number = static_cast<size_t>(start->number);
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
    size_t own = 1 + number % (job->shares.size() - 1);
    int64_t first, last;
    while ((scratch || work.scratchBytes == 0) && job->claim(own, first, last))
      now = job->runChunk(first, last, scratch, now);
    pool.leave(*job);
  }
  return nullptr;
}

/// Runs chunks on the caller's thread. False when it was asked to stop.
bool runCallersShare(Job &job, void *scratch) {
  const Work &work = job.work;
  Clock::time_point now = Clock::now();
  Clock::time_point lastCheck = now;
  int64_t first, last;
  while (job.claim(0, first, last)) {
    now = job.runChunk(first, last, scratch, now);
    if (work.context->isStopped())
      return false;
    if (now - lastCheck < kInterruptInterval)
      continue;
    if (work.interrupted(work.interruptedArgument)) {
      stopPrograms(*work.context);
      return false;
    }
    lastCheck = now = Clock::now();
  }
  return true;
}

/// Runs programs outside of any job, to learn what they cost. Returns nanoseconds a program.
double runProbe(const Work &work, int64_t first, int64_t count, void *scratch) {
  Clock::time_point start = Clock::now();
  work.function(work.args, first, first + count, scratch);
  int64_t ns = nanosecondsSince(start);
  if (!work.context->isStopped())
    work.cost->record(ns, count);
  return static_cast<double>(std::max<int64_t>(ns, 1)) / static_cast<double>(count);
}

/// Whether programs that were thought to be few microseconds' work are none.
bool isNoLongerSmall(const Work &work, double nsPerProgram) {
  if (nsPerProgram * static_cast<double>(work.programs) < kSmallNs * 4)
    return false;
  work.cost->assign(nsPerProgram);
  return true;
}

} // namespace

Arena &blockdsl::runtime::callersArena() {
  thread_local Arena arena;
  return arena;
}

void CostEstimate::record(int64_t ns, int64_t programs) {
  float sample = static_cast<float>(std::max<int64_t>(ns, 1)) / static_cast<float>(programs);
  float known = nsPerProgram.load(std::memory_order_relaxed);
  // A program that was preempted must not make the kernel look expensive for long, hence the bound.
  float next = known == 0 ? sample : (known + std::min(sample, known * 8)) / 2;
  nsPerProgram.store(next, std::memory_order_relaxed);
}

int64_t blockdsl::runtime::runSmall(const Work &work) {
  double nsPerProgram = work.cost->get();
  if (nsPerProgram == 0 || nsPerProgram * static_cast<double>(work.programs) > kSmallNs)
    return 0;
  void *scratch = callersArena().reserve(work.scratchBytes);
  if (!scratch && work.scratchBytes != 0)
    return 0;
  // The first programs alone: a kernel whose cost lies in its arguments may be dearer than last time, and nothing hears
  // Ctrl-C in here.
  int64_t probe = std::max<int64_t>(1, work.programs / 8);
  double measured = runProbe(work, 0, probe, scratch);
  if (probe == work.programs || work.context->hasFailed() || work.context->isStopped())
    return work.programs;
  if (isNoLongerSmall(work, measured))
    return probe;
  work.function(work.args, probe, work.programs, scratch);
  return work.programs;
}

Outcome blockdsl::runtime::parallelFor(const Work &work, int64_t first) {
  void *scratch = callersArena().reserve(work.scratchBytes);
  if (!scratch && work.scratchBytes != 0)
    return Outcome::OutOfMemory;
  double nsPerProgram = work.cost->get();
  // The first launch learns from the first program, and is as long as that one if it is the only one.
  if (nsPerProgram == 0 && first < work.programs)
    nsPerProgram = runProbe(work, first++, 1, scratch);
  if (work.context->isStopped())
    return Outcome::Interrupted;
  double rest = static_cast<double>(work.programs - first);
  double useful = std::ceil(nsPerProgram * rest / kSmallNs);
  auto threads = static_cast<int>(std::max(1.0, std::min({useful, static_cast<double>(work.threads), rest})));

  Job job(work, first, nsPerProgram, threads);
  bool finished;
  if (threads == 1) {
    finished = runCallersShare(job, scratch);
  } else {
    Pool &pool = Pool::get();
    pool.publish(job);
    finished = runCallersShare(job, scratch);
    if (!finished)
      job.dropRest();
    pool.withdraw(job);
    while (!pool.waitUntilLeft(job, finished)) {
      finished = false; // Nothing new starts by now, but what runs has to end before its arguments may go.
      stopPrograms(*work.context);
    }
  }
  if (!finished)
    return Outcome::Interrupted;
  return work.context->hasFailed() ? Outcome::Failed : Outcome::Finished;
}

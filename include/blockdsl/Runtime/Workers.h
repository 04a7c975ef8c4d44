//===- Workers.h - Choice of worker threads -----------------------------------------------------------------------===//
//
// In addition to the caller's thread a launch runs on a pool of the runtime, or on the workers of an OpenMP runtime
// that another library has loaded: torch's workers spin for a while after each op, so they start sooner than any
// others.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_WORKERS_H
#define BLOCKDSL_RUNTIME_WORKERS_H

namespace blockdsl::runtime {

enum class Workers : int {
  /// OpenMP's workers if they are ready, else own threads.
  Auto,
  /// OpenMP's workers if there are any.
  OpenMP,
  /// Own threads.
  Own,
};

/// Sets the workers of all launches from now on.
void chooseWorkers(Workers whose);

/// Finds the OpenMP runtime that a loaded library calls. Returns false if there is none.
bool findOpenMP(const char *library);

/// Returns the workers, OpenMP's or own, of a launch by this thread on that many threads.
Workers workersOf(int threads);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_WORKERS_H

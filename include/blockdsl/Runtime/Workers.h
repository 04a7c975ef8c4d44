//===- Workers.h - Whose threads help a launch --------------------------------------------------------------------===//
//
// Beside the caller's thread a launch runs on a pool of our own, or on the workers of an OpenMP runtime that somebody
// else has brought into the process: torch's spin for a while after each of its ops, and nobody starts sooner.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_WORKERS_H
#define BLOCKDSL_RUNTIME_WORKERS_H

namespace blockdsl::runtime {

enum class Workers : int {
  /// OpenMP's where that is no loss, or else our own.
  Auto,
  /// OpenMP's wherever they can be had.
  OpenMP,
  /// Our own.
  Own,
};

/// For all launches from now on.
void chooseWorkers(Workers whose);

/// Finds the OpenMP runtime that a library calls which is in the process already. False where there is none.
bool findOpenMP(const char *library);

/// Whose threads a launch of this thread on so many would run on now: OpenMP's or our own.
Workers workersOf(int threads);

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_WORKERS_H

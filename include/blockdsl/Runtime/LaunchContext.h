//===- LaunchContext.h - What a running kernel shares with its launch ---------------------------------------------===//
//
// The compiled kernel's signature, the record of one launch that its programs can reach, and the functions that
// compiled code may call. How programs are spread over threads lives in ParallelFor.h.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_LAUNCHCONTEXT_H
#define BLOCKDSL_RUNTIME_LAUNCHCONTEXT_H

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace blockdsl::runtime {

/// What `--blockdsl-to-llvm` makes of a kernel: runs the programs `first <= id < last`. `args` points to 8-byte slots:
/// the runtime parameters, the grid's three sizes, and the launch context.
using KernelFunction = void (*)(void *args, int64_t first, int64_t last, void *scratch);

/// Not zero while loops should call blockdsl_should_stop.
using PollWord = std::atomic<int32_t>;

/// Of launches that nobody asks.
extern const PollWord kNeverPolled;

class ProgramDependencies;

/// What the programs of one launch share.
struct alignas(64) LaunchContext {
  enum State : int { Running, Recording, Failed };

  /// First, because compiled loops read it there.
  const PollWord *poll = &kNeverPolled;
  /// Whether the launch has been interrupted: programs end at their next turn of a loop, and no more are started.
  std::atomic<bool> stopped{false};
  /// Whether it was stopped because its programs wait for one that no thread can be started for.
  std::atomic<bool> lacksThreads{false};
  /// Interruption.cpp: who is asked, and on which thread. Null where poll is kNeverPolled.
  bool (*ask)(void *) = nullptr;
  void *askArgument = nullptr;
  const void *thread = nullptr;
  /// What lib/Bindings says of this launch if a program faults; or null.
  const void *record = nullptr;
  /// Starts further programs while others wait. Null if no programs are left or none wait.
  ProgramDependencies *dependencies = nullptr;

  /// The first failure. Written by whichever program fails first, read by the launcher afterwards.
  std::atomic<int> state{Running};
  /// A constant of the kernel's code, so it lives as long as the kernel.
  const char *message = nullptr;
  int32_t program[3] = {0, 0, 0};

  bool hasFailed() const { return state.load(std::memory_order_acquire) != Running; }
  bool isStopped() const { return stopped.load(std::memory_order_relaxed); }
};

/// The address of a function that compiled kernels may call: the runtime's own, the conversions LLVM falls back to,
/// memory fills and copies, libm. Null for any other name.
void *lookupKernelSymbol(const char *name);

/// All names that lookupKernelSymbol may know, for linkers other than our own.
std::vector<std::string> kernelSymbolNames();

} // namespace blockdsl::runtime

extern "C" {
/// Records the first failing assertion of a launch. The program goes on; no further programs are started.
void blockdsl_assert_failed(void *context, const char *message, int32_t x, int32_t y, int32_t z);

/// Called by a loop that saw the poll word set; not zero when the program has to end.
int32_t blockdsl_should_stop(void *context);

/// Called in each turn of a loop that waits for another program; not zero when the program has to end.
int32_t blockdsl_wait(void *context);

/// Nanoseconds since some time or other.
int64_t blockdsl_nanoseconds();

/// Which of the processors that this process may use the caller runs on, now: they are counted from 0.
int32_t blockdsl_processor();

/// Prints `count` elements of an operand of `tt.print`, each on a line of its own with its indices in the operand:
/// `widths` has a digit for each dimension, to how many places an index is padded, and `indices` the numbers of all
/// elements for one dimension after the other. Without values it prints the prefix alone.
void blockdsl_print(void *context, const char *prefix, int32_t x, int32_t y, int32_t z, int32_t hex, int32_t typeCode,
                    const void *values, int64_t count, const char *widths, const int32_t *indices);
}

#endif // BLOCKDSL_RUNTIME_LAUNCHCONTEXT_H

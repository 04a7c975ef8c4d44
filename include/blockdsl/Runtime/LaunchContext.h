//===- LaunchContext.h - Interface between a launch and its running kernel ----------------------------------------===//
//
// The signature of compiled kernels, the state of one launch that its programs access, and the functions that compiled
// code may call. ParallelFor.h distributes programs over threads.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_LAUNCHCONTEXT_H
#define BLOCKDSL_RUNTIME_LAUNCHCONTEXT_H

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace blockdsl::runtime {

/// A kernel compiled by `--blockdsl-to-llvm`. Runs the programs `first <= id < last`. `args` points to 8-byte slots:
/// the runtime parameters, the grid's three sizes, and the launch context.
using KernelFunction = void (*)(void *args, int64_t first, int64_t last, void *scratch);

/// Nonzero while loops should call blockdsl_should_stop.
using PollWord = std::atomic<int32_t>;

/// Poll word of launches that cannot be interrupted.
extern const PollWord kNeverPolled;

class ProgramDependencies;

/// State of one launch that all of its programs share.
struct alignas(64) LaunchContext {
  enum State : int { Running, Recording, Failed };

  /// The first member, because compiled loops read it at offset 0.
  const PollWord *poll = &kNeverPolled;
  /// Whether the launch has been interrupted. Programs end at the next iteration of a loop, and no more are started.
  std::atomic<bool> stopped{false};
  /// Whether the launch was stopped because its programs wait for one for which no thread can be started.
  std::atomic<bool> lacksThreads{false};
  /// Interrupt check, its argument and its thread (Interruption.cpp). Null if `poll` is kNeverPolled.
  bool (*ask)(void *) = nullptr;
  void *askArgument = nullptr;
  const void *thread = nullptr;
  /// Description of the launch for fault reports of lib/Bindings, or null.
  const void *record = nullptr;
  /// Starts further programs while others wait. Null if no programs are left or none wait.
  ProgramDependencies *dependencies = nullptr;

  /// The first failure. Written by the first program that fails, read by the launcher afterwards.
  std::atomic<int> state{Running};
  /// A constant of the kernel's code, which lives as long as the kernel.
  const char *message = nullptr;
  int32_t program[3] = {0, 0, 0};

  bool hasFailed() const { return state.load(std::memory_order_acquire) != Running; }
  bool isStopped() const { return stopped.load(std::memory_order_relaxed); }
};

/// Returns the address of a function that compiled kernels may call: the runtime's own functions, float conversions of
/// LLVM, memory fills and copies, and libm. Returns null for any other name.
void *lookupKernelSymbol(const char *name);

/// Returns all names that lookupKernelSymbol may resolve, for other linkers.
std::vector<std::string> kernelSymbolNames();

} // namespace blockdsl::runtime

extern "C" {
/// Records the first failing assertion of a launch. The program continues; no further programs are started.
void blockdsl_assert_failed(void *context, const char *message, int32_t x, int32_t y, int32_t z);

/// Called by a loop if the poll word is set. Returns nonzero if the program must end.
int32_t blockdsl_should_stop(void *context);

/// Called in each iteration of a loop that waits for another program. Returns nonzero if the program must end.
int32_t blockdsl_wait(void *context);

/// Returns nanoseconds since an arbitrary point in time.
int64_t blockdsl_nanoseconds();

/// Returns the index of the caller's processor among those that this process may use.
int32_t blockdsl_processor();

/// Returns the number of processors that this process may use.
int32_t blockdsl_processor_count();

/// Prints `count` elements of an operand of `tt.print`, one per line with its indices in the operand. `widths` has a
/// digit for each dimension, the width to which an index is padded; `indices` has the indices of all elements, one
/// dimension after the other. Without values only the prefix is printed.
void blockdsl_print(void *context, const char *prefix, int32_t x, int32_t y, int32_t z, int32_t hex, int32_t typeCode,
                    const void *values, int64_t count, const char *widths, const int32_t *indices);
}

#endif // BLOCKDSL_RUNTIME_LAUNCHCONTEXT_H

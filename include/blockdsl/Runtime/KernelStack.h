//===- KernelStack.h - Stacks for kernels on threads that have too little -----------------------------------------===//
//
// A kernel takes up to 256 KiB of stack. Threads may have less: those of programs that start thousands, or under
// another C library, or deep in a recursion. There the launch runs on a stack of its own, on the same thread.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_KERNELSTACK_H
#define BLOCKDSL_RUNTIME_KERNELSTACK_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace blockdsl::runtime {

/// What a launch may take: a kernel, and what the runtime and functions of libm need beside it.
constexpr size_t kLaunchStackBytes = (256 + 64) << 10;

/// The lowest address of the calling thread's own stack; 0 where the system does not say.
uintptr_t lowestStackAddress();

/// Whether a launch fits on the stack that the caller runs on, of which `lowest` is the lowest address. On a stack that
/// is not the thread's own, such as a coroutine's, nothing is known, and the answer is yes.
inline bool hasRoomForLaunch(uintptr_t lowest) {
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here - lowest >= kLaunchStackBytes;
}

/// Memory for a stack of kernels, with a page below it that may not be touched.
class KernelStack {
public:
  KernelStack();
  KernelStack(const KernelStack &) = delete;
  KernelStack &operator=(const KernelStack &) = delete;
  ~KernelStack();

  /// False where there is no memory for it.
  explicit operator bool() const { return memory != nullptr; }
  uintptr_t lowest() const { return reinterpret_cast<uintptr_t>(memory); }
  /// Calls a function on it. The function must not throw.
  void call(void (*function)(void *), void *argument) const;

private:
  void *memory = nullptr;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_KERNELSTACK_H

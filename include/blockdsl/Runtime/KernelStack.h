//===- KernelStack.h - Additional stacks for kernels --------------------------------------------------------------===//
//
// A kernel uses up to 256 KiB of stack. Threads may have less left: threads of programs that start thousands of them,
// with other C libraries, or deep in a recursion. Then the launch runs on an additional stack of the same thread.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_KERNELSTACK_H
#define BLOCKDSL_RUNTIME_KERNELSTACK_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace blockdsl::runtime {

/// Largest stack of a launch: a kernel, the runtime and functions of libm.
constexpr size_t kLaunchStackBytes = (256 + 64) << 10;

/// Returns the lowest address of the calling thread's own stack; 0 if unknown.
uintptr_t lowestStackAddress();

/// Returns true if a launch fits on the current stack, whose lowest address is `lowest`, or if the current stack is not
/// the thread's own, such as a coroutine's.
inline bool hasRoomForLaunch(uintptr_t lowest) {
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  return here - lowest >= kLaunchStackBytes;
}

/// Memory of an additional stack, with a guard page.
class KernelStack {
public:
  KernelStack();
  KernelStack(const KernelStack &) = delete;
  KernelStack &operator=(const KernelStack &) = delete;
  ~KernelStack();

  /// Returns false if there is no memory for the stack.
  explicit operator bool() const { return memory != nullptr; }
  uintptr_t lowest() const { return reinterpret_cast<uintptr_t>(memory); }
  /// Calls a function on the stack. The function must not throw.
  void call(void (*function)(void *), void *argument) const;

private:
  void *memory = nullptr;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_KERNELSTACK_H

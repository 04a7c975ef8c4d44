//===- DeepStack.cpp - Calls on a stack that recursion does not exhaust ----===//
//
// The compiler, MLIR and LLVM recurse along chains of ops. Only the stack pointer changes, as in clang: since the
// thread stays the same, signals, thread-local variables and the GIL work as in any call.
//
//===----------------------------------------------------------------------===//

#include "blockdsl/Tools/DeepStack.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

// The saved frame pointer lets unwinders continue on the original stack.
#if defined(__x86_64__)
asm(R"(
  .text
  .hidden blockdsl_call_with_stack
  .globl blockdsl_call_with_stack
  .type blockdsl_call_with_stack, @function
blockdsl_call_with_stack:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  movq %rdi, %rsp
  movq %rdx, %rdi
  callq *%rsi
  movq %rbp, %rsp
  popq %rbp
  .cfi_def_cfa %rsp, 8
  retq
  .cfi_endproc
  .size blockdsl_call_with_stack, . - blockdsl_call_with_stack
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .hidden blockdsl_call_with_stack
  .globl blockdsl_call_with_stack
  .type blockdsl_call_with_stack, %function
blockdsl_call_with_stack:
  .cfi_startproc
  stp x29, x30, [sp, #-16]!
  .cfi_def_cfa_offset 16
  .cfi_offset w29, -16
  .cfi_offset w30, -8
  mov x29, sp
  .cfi_def_cfa_register w29
  mov sp, x0
  mov x0, x2
  blr x1
  mov sp, x29
  .cfi_def_cfa_register sp
  ldp x29, x30, [sp], #16
  ret
  .cfi_endproc
  .size blockdsl_call_with_stack, . - blockdsl_call_with_stack
)");
#else
#error "the stack pointer is moved by code for x86-64 and AArch64 only"
#endif

extern "C" void blockdsl_call_with_stack(void *top, void (*function)(void *), void *argument);

namespace {

constexpr size_t kBytes = size_t(1) << 30;
constexpr size_t kFewestBytes = size_t(16) << 20;
constexpr size_t kGuardBytes = size_t(1) << 16;
/// With limited address space (ulimit -v) a stack takes one part in this many of the rest; libraries and the heap need
/// the other parts.
constexpr size_t kPartOfSpace = 8;

thread_local bool isDeep = false;

/// Returns the bytes of address space that the process may still allocate.
size_t spaceLeft() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return SIZE_MAX;
  size_t pages = 0;
  if (FILE *file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%zu", &pages) != 1)
      pages = 0;
    std::fclose(file);
  }
  size_t taken = pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > taken ? limit.rlim_cur - taken : 0;
}

/// Memory of a stack, as large as possible, with a guard page below.
class Stack {
public:
  Stack() {
    size_t most = std::max(kFewestBytes, spaceLeft() / kPartOfSpace);
    for (size = kBytes; size >= kFewestBytes; size /= 2) {
      if (size > most)
        continue;
      memory =
          mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
      if (memory != MAP_FAILED) {
        mprotect(memory, kGuardBytes, PROT_NONE);
        return;
      }
    }
  }
  Stack(const Stack &) = delete;
  Stack &operator=(const Stack &) = delete;
  ~Stack() {
    if (*this)
      munmap(memory, size);
  }
  explicit operator bool() const { return memory != MAP_FAILED; }
  void *top() const { return static_cast<char *>(memory) + size; }

private:
  void *memory = MAP_FAILED;
  size_t size;
};

} // namespace

void blockdsl::callOnDeepStack(llvm::function_ref<void()> function) {
  if (isDeep)
    return function();
  Stack stack;
  if (!stack)
    return function();
  isDeep = true;
  blockdsl_call_with_stack(
      stack.top(), [](void *call) { (*static_cast<llvm::function_ref<void()> *>(call))(); }, &function);
  isDeep = false;
}

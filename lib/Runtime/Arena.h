//===- Arena.h - Scratch memory of a thread -----------------------------------------------------------------------===//

#ifndef BLOCKDSL_LIB_RUNTIME_ARENA_H
#define BLOCKDSL_LIB_RUNTIME_ARENA_H

#include "blockdsl/Runtime/ThreadOwned.h"

#include <cstddef>
#include <cstdlib>
#include <utility>

namespace blockdsl::runtime {

/// Scratch memory for programs on one thread. It grows, never shrinks, and lives as long as the thread.
class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  Arena(Arena &&other) noexcept : memory(std::exchange(other.memory, nullptr)), size(std::exchange(other.size, 0)) {}
  Arena &operator=(Arena &&other) noexcept {
    std::swap(memory, other.memory);
    std::swap(size, other.size);
    return *this;
  }
  ~Arena() { std::free(memory); }

  /// Returns at least `bytes` of uninitialized memory, aligned to a cache line; null if there is no memory.
  void *reserve(size_t bytes) {
    if (bytes <= size)
      return memory;
    constexpr size_t kLine = 64;
    size_t rounded = (bytes + kLine - 1) / kLine * kLine;
    void *larger = std::aligned_alloc(kLine, rounded);
    if (!larger)
      return nullptr;
    std::free(memory);
    memory = larger;
    size = rounded;
    return memory;
  }

private:
  void *memory = nullptr;
  size_t size = 0;
};

/// Sets `scratch` to that many bytes of this thread's scratch memory, or null for 0 bytes. Returns false if there is no
/// memory.
inline bool reserveScratch(size_t bytes, void *&scratch) {
  scratch = nullptr;
  if (bytes == 0)
    return true;
  if (Arena *arena = ThreadOwned<Arena>::get())
    scratch = arena->reserve(bytes);
  return scratch != nullptr;
}

} // namespace blockdsl::runtime

#endif // BLOCKDSL_LIB_RUNTIME_ARENA_H

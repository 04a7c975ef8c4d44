//===- ObjectCode.h - Loader of object files ----------------------------------------------------------------------===//
//
// LLVM compiles kernels to relocatable ELF objects. Loading one places its sections, applies a few relocations, and
// makes the code executable. It takes tens of microseconds and does not need LLVM, so that a kernel from the disk cache
// starts without loading the compiler.
//
//===--------------------------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_OBJECTCODE_H
#define BLOCKDSL_RUNTIME_OBJECTCODE_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace blockdsl::runtime {

/// Mapped code and data of an object file.
class ObjectCode {
public:
  /// Loads an object. Returns null and sets `error` if it is invalid; all offsets and indices are checked. Throws
  /// std::bad_alloc.
  static std::unique_ptr<ObjectCode> load(std::string_view object, std::string &error);
  ~ObjectCode();
  ObjectCode(const ObjectCode &) = delete;
  ObjectCode &operator=(const ObjectCode &) = delete;

  /// Returns the address of a global function of the object; null if there is none of that name.
  void *lookup(const std::string &name) const;
  /// Returns true if its loops call blockdsl_should_stop.
  bool polls() const { return callsShouldStop || callsWait; }
  /// Returns true if its programs may wait for each other, in loops that call blockdsl_wait.
  bool waits() const { return callsWait; }

private:
  friend class ObjectLoader;
  ObjectCode() = default;

  uint8_t *memory = nullptr;
  size_t size = 0;
  bool callsShouldStop = false, callsWait = false;
  std::map<std::string, void *> functions;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_OBJECTCODE_H

//===- ObjectCode.h - Loads an object file into the process -------------------------------------------------------===//
//
// Kernels come as relocatable ELF objects from LLVM. Loading one is laying out its sections, applying a handful of
// relocations, and making the result executable. It takes tens of microseconds and needs no LLVM, which is what lets a
// kernel from the disk cache start without loading a compiler.
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

/// An object file's code and data, mapped into this process until destroyed.
class ObjectCode {
public:
  /// Null when the object cannot be loaded; `error` then says why. Nothing in the object is believed: offsets and
  /// indices outside of it are errors. Throws std::bad_alloc where there is no memory for it.
  static std::unique_ptr<ObjectCode> load(std::string_view object, std::string &error);
  ~ObjectCode();
  ObjectCode(const ObjectCode &) = delete;
  ObjectCode &operator=(const ObjectCode &) = delete;

  /// The address of a function that the object defines for others; null if there is none of that name.
  void *lookup(const std::string &name) const;
  /// Whether its loops ask blockdsl_should_stop.
  bool polls() const { return asksToStop || asksToWait; }
  /// Whether its programs may wait for each other: loops ask blockdsl_wait.
  bool waits() const { return asksToWait; }

private:
  friend class ObjectLoader;
  ObjectCode() = default;

  uint8_t *memory = nullptr;
  size_t size = 0;
  bool asksToStop = false, asksToWait = false;
  std::map<std::string, void *> functions;
};

} // namespace blockdsl::runtime

#endif // BLOCKDSL_RUNTIME_OBJECTCODE_H

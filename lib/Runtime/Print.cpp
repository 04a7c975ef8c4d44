//===- Print.cpp - What a kernel prints, and the assertions it fails ----------------------------------------------===//
//
// One line an operand of `tt.print`, written in one piece so that the lines of several threads do not mix:
//
//   pid (0, 0, 0) x: [1, 2, 3]
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "blockdsl/Runtime/LaunchContext.h"

#include "blockdsl/Runtime/FloatConversions.h"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string>

using namespace blockdsl::runtime;

namespace {

/// The fields of the type code that compiled code passes.
struct TypeCode {
  explicit TypeCode(int32_t code)
      : bits(code & 0xff), isFloat(code & 0x100), isSigned(code & 0x200), isPointer(code & 0x400),
        isBFloat(code & 0x800) {}
  int bits;
  bool isFloat, isSigned, isPointer, isBFloat;
  int bytes() const { return bits < 8 ? 1 : bits / 8; }
};

double readFloat(TypeCode type, const char *value) {
  if (type.bits == 64) {
    double wide;
    std::memcpy(&wide, value, sizeof(wide));
    return wide;
  }
  if (type.bits == 32) {
    float single;
    std::memcpy(&single, value, sizeof(single));
    return single;
  }
  uint16_t bits;
  std::memcpy(&bits, value, sizeof(bits));
  if (!type.isBFloat)
    return halfBitsToFloat(bits);
  uint32_t widened = static_cast<uint32_t>(bits) << 16;
  float single;
  std::memcpy(&single, &widened, sizeof(single));
  return single;
}

void append(std::string &line, TypeCode type, bool hex, const char *value) {
  char text[64];
  uint64_t raw = 0;
  std::memcpy(&raw, value, type.bytes()); // Little endian, as every target of ours is.
  if (hex || type.isPointer)
    std::snprintf(text, sizeof(text), "0x%0*" PRIx64, type.bytes() * 2, raw);
  else if (type.isFloat)
    std::snprintf(text, sizeof(text), "%.*g", type.bits == 64 ? 17 : type.bits == 32 ? 9 : 5, readFloat(type, value));
  else if (type.isSigned && type.bits > 1)
    std::snprintf(text, sizeof(text), "%" PRId64, static_cast<int64_t>(raw << (64 - type.bits)) >> (64 - type.bits));
  else
    std::snprintf(text, sizeof(text), "%" PRIu64, raw);
  line += text;
}

} // namespace

extern "C" void blockdsl_print(void *, const char *prefix, int32_t x, int32_t y, int32_t z, int32_t hex,
                               int32_t typeCode, const void *values, int64_t count) {
  TypeCode type(typeCode);
  char place[64];
  std::snprintf(place, sizeof(place), "pid (%d, %d, %d)", x, y, z);
  std::string line = place;
  line += prefix;
  if (count > 1)
    line += '[';
  for (int64_t i = 0; i < count; ++i) {
    if (i != 0)
      line += ", ";
    append(line, type, hex != 0, static_cast<const char *>(values) + i * type.bytes());
  }
  if (count > 1)
    line += ']';
  line += '\n';
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

extern "C" void blockdsl_assert_failed(void *context, const char *message, int32_t x, int32_t y, int32_t z) {
  auto &launch = *static_cast<LaunchContext *>(context);
  int expected = LaunchContext::Running;
  if (!launch.state.compare_exchange_strong(expected, LaunchContext::Recording))
    return;
  launch.message = message;
  launch.program[0] = x;
  launch.program[1] = y;
  launch.program[2] = z;
  launch.state.store(LaunchContext::Failed, std::memory_order_release);
}

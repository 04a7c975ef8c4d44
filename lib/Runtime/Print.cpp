//===- Print.cpp - Prints and failed assertions of kernels --------------------------------------------------------===//
//
// Each element of an operand of `tt.print` has a line in the format of Triton's GPU backends:
//
//   pid (0, 0, 0) idx ( 7) x: 1.500000
//
// The output of one call is written at once, so that lines of several threads do not mix.
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

/// Fields of the type code that compiled code passes.
struct TypeCode {
  explicit TypeCode(int32_t code)
      : bits(code & 0xff), isFloat(code & 0x100), isSigned(code & 0x200), isBFloat(code & 0x800) {}
  int bits;
  bool isFloat, isSigned, isBFloat;
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

/// Formats a number with six decimals. A float64 may have more than three hundred digits.
std::string fixed(double number) {
  char text[400];
  return std::string(text, std::snprintf(text, sizeof(text), "%f", number));
}

void append(std::string &line, TypeCode type, bool hex, const char *value) {
  char text[64];
  uint64_t raw = 0;
  std::memcpy(&raw, value, type.bytes()); // All targets are little-endian.
  double number = type.isFloat ? readFloat(type, value) : 0.0;
  if (hex)
    std::snprintf(text, sizeof(text), "0x%0*" PRIx64, type.bits / 4, raw);
  else if (type.isFloat && number != number)
    return line.append("nan"), void(); // printf would print its sign.
  else if (type.isFloat)
    return line.append(fixed(number)), void();
  else if (type.isSigned && type.bits > 1)
    std::snprintf(text, sizeof(text), "%" PRId64, static_cast<int64_t>(raw << (64 - type.bits)) >> (64 - type.bits));
  else
    std::snprintf(text, sizeof(text), "%" PRIu64, raw);
  line += text;
}

} // namespace

/// Appends ` idx (`, the indices of an element, and `)`.
static void appendIndices(std::string &line, const char *widths, const int32_t *indices, int64_t count) {
  line += " idx (";
  for (size_t dimension = 0; widths[dimension]; ++dimension) {
    char text[32];
    std::snprintf(text, sizeof(text), "%s%*d", dimension ? ", " : "", widths[dimension] - '0',
                  indices[static_cast<int64_t>(dimension) * count]);
    line += text;
  }
  line += ')';
}

extern "C" void blockdsl_print(void *, const char *prefix, int32_t x, int32_t y, int32_t z, int32_t hex,
                               int32_t typeCode, const void *values, int64_t count, const char *widths,
                               const int32_t *indices) {
  TypeCode type(typeCode);
  char program[64];
  std::snprintf(program, sizeof(program), "pid (%d, %d, %d)", x, y, z);
  std::string lines;
  if (!values)
    lines.append(program).append(prefix) += '\n';
  for (int64_t i = 0; values && i < count; ++i) {
    lines += program;
    appendIndices(lines, widths, indices + i, count);
    lines += prefix;
    append(lines, type, hex != 0, static_cast<const char *>(values) + i * type.bytes());
    lines += '\n';
  }
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  std::fwrite(lines.data(), 1, lines.size(), stdout);
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

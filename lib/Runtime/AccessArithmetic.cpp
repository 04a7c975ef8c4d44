//===- AccessArithmetic.cpp - Arithmetic of access formulas -------------------------------------------------------===//

#include "AccessArithmetic.h"

#include <algorithm>

using namespace blockdsl::runtime;

bool blockdsl::runtime::fits(int64_t value, unsigned width) {
  if (width == 64)
    return true;
  if (width == 1)
    return value == 0 || value == 1;
  return value >= -(int64_t(1) << (width - 1)) && value < int64_t(1) << (width - 1);
}

int64_t blockdsl::runtime::signExtended(uint64_t bits, unsigned width) {
  if (width == 1)
    return static_cast<int64_t>(bits & 1);
  return static_cast<int64_t>(bits << (64 - width)) >> (64 - width);
}

bool blockdsl::runtime::compute(AccessOp op, unsigned width, int64_t a, int64_t b, int64_t &result) {
  switch (op) {
  case AccessOp::Add:
    return !__builtin_add_overflow(a, b, &result);
  case AccessOp::Sub:
    return !__builtin_sub_overflow(a, b, &result);
  case AccessOp::Mul:
    return !__builtin_mul_overflow(a, b, &result);
  case AccessOp::DivU:
  case AccessOp::RemU:
    if (a < 0 || b < 0)
      return false;
    [[fallthrough]];
  case AccessOp::DivS:
  case AccessOp::RemS:
    if (b == 0 || (a == INT64_MIN && b == -1))
      return false;
    result = op == AccessOp::DivS || op == AccessOp::DivU ? a / b : a % b;
    return true;
  case AccessOp::MinS:
    return result = std::min(a, b), true;
  case AccessOp::MaxS:
    return result = std::max(a, b), true;
  case AccessOp::And:
    return result = a & b, true;
  case AccessOp::Or:
    return result = a | b, true;
  case AccessOp::Xor:
    return result = a ^ b, true;
  case AccessOp::Shl:
    return b >= 0 && b < std::min<int64_t>(width, 63) && !__builtin_mul_overflow(a, int64_t(1) << b, &result);
  case AccessOp::ShrU:
    if (a < 0)
      return false;
    [[fallthrough]];
  case AccessOp::ShrS:
    return b >= 0 && b < width && (result = a >> b, true);
  case AccessOp::ZExt:
    return result = a < 0 ? a + (int64_t(1) << b) : a, true;
  case AccessOp::Fit:
    return result = a, true;
  case AccessOp::Equal:
    return result = a == b, true;
  case AccessOp::NotEqual:
    return result = a != b, true;
  case AccessOp::Less:
    return result = a < b, true;
  case AccessOp::LessEqual:
    return result = a <= b, true;
  case AccessOp::ULess:
    return result = static_cast<uint64_t>(a) < static_cast<uint64_t>(b), true;
  case AccessOp::ULessEqual:
    return result = static_cast<uint64_t>(a) <= static_cast<uint64_t>(b), true;
  default:
    return false;
  }
}

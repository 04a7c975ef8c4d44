//===- VectorOptions.h - Vector registers and features of the target CPU -===//

#ifndef BLOCKDSL_PLAN_VECTOROPTIONS_H
#define BLOCKDSL_PLAN_VECTOROPTIONS_H

#include "llvm/ADT/StringRef.h"

namespace blockdsl {

struct VectorOptions {
  unsigned vectorBits = 512;
  llvm::StringRef features = ""; ///< of the CPU, as in `+avx512f,+avx512bf16`
  bool sequential = false;       ///< one thread runs all programs, and no other thread accesses their memory

  bool has(llvm::StringRef feature) const;
  /// AVX-512 and AArch64 have 32 vector registers, SSE and AVX2 have 16.
  int64_t vectorRegisters() const { return vectorBits == 512 || has("neon") ? 32 : 16; }
};

} // namespace blockdsl

#endif // BLOCKDSL_PLAN_VECTOROPTIONS_H

//===- CUDATensorMap.h - Tensor descriptors for GPUs ------------*- C++ -*-===//
//
// From compute capability 9.0 on, hardware copies blocks of a strided array. What it has to know of the array is
// encoded at the launch, for a kernel that has decided how blocks lie in shared memory.
//
//===----------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_CUDATENSORMAP_H
#define BLOCKDSL_RUNTIME_CUDATENSORMAP_H

#include "blockdsl/Runtime/CUDAKernel.h"

#include <vector>

namespace blockdsl::runtime::cuda {

/// What a kernel wants of one of its descriptors, as Triton's compiler says it.
struct TensorMapRequest {
  int swizzle = 0;
  int elementBytes = 0;
  /// In the compiler's numbering.
  int elementType = 0;
  /// Elements of four bits, each in a byte of shared memory.
  bool isPaddedFp4 = false;
  /// The part of a block that is copied at once; it may be smaller than the block.
  std::vector<uint32_t> box;
};

/// The array of one launch: sizes and strides in elements, the contiguous dimension last.
struct DescribedArray {
  uint64_t base = 0;
  size_t rank = 0;
  const int64_t *shape = nullptr, *strides = nullptr;
  bool isPaddedWithNaN = false;
  /// Floats of 32 bits are rounded to the precision of tensor cores when they are copied.
  bool isRounded = false;
};

/// Fills `map` for a launch of `kernel`. The driver says what it does not take.
Failure encode(const LoadedKernel &kernel, const TensorMapRequest &request, const DescribedArray &array,
               TensorMap &map);

} // namespace blockdsl::runtime::cuda

#endif // BLOCKDSL_RUNTIME_CUDATENSORMAP_H

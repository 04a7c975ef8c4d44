//===- CUDATensorMap.h - Tensor maps of descriptors on GPUs -----*- C++ -*-===//
//
// From compute capability 9.0 on, hardware copies blocks of a strided array. The description of the array is encoded at
// the launch, for the layout of blocks in shared memory that the kernel was compiled with.
//
//===----------------------------------------------------------------------------------------------===//

#ifndef BLOCKDSL_RUNTIME_CUDATENSORMAP_H
#define BLOCKDSL_RUNTIME_CUDATENSORMAP_H

#include "blockdsl/Runtime/CUDAKernel.h"

#include <vector>

namespace blockdsl::runtime::cuda {

/// Layout of a descriptor in a kernel, from Triton's compiler.
struct TensorMapRequest {
  int swizzle = 0;
  int elementBytes = 0;
  /// Element type in the compiler's numbering.
  int elementType = 0;
  /// Whether 4-bit elements take a byte each in shared memory.
  bool isPaddedFp4 = false;
  /// The part of a block that is copied at once, which may be smaller than the block.
  std::vector<uint32_t> box;
};

/// The array of a descriptor: sizes and strides in elements, the contiguous dimension last.
struct DescribedArray {
  uint64_t base = 0;
  size_t rank = 0;
  const int64_t *shape = nullptr, *strides = nullptr;
  bool isPaddedWithNaN = false;
  /// Whether 32-bit floats are rounded to the precision of tensor cores when they are copied.
  bool isRounded = false;
};

/// Fills in `map` for a launch of `kernel`. Returns the driver's failure, if any.
Failure encode(const LoadedKernel &kernel, const TensorMapRequest &request, const DescribedArray &array,
               TensorMap &map);

} // namespace blockdsl::runtime::cuda

#endif // BLOCKDSL_RUNTIME_CUDATENSORMAP_H

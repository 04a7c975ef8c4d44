//===- CUDATensorMap.cpp - Tensor maps of descriptors on GPUs -----------------------------------------------------===//

#include "blockdsl/Runtime/CUDATensorMap.h"

#include "CUDADevice.h"

using namespace blockdsl::runtime::cuda;

namespace {

constexpr size_t kMaxRank = 5;
/// The driver's number of floats that are rounded to the precision of tensor cores.
constexpr int kRoundedFloat = 11;

/// Converts the compiler's number of an element type, which is the hardware's. The driver orders three types
/// differently.
int driverType(int type) {
  switch (type) {
  case 8:
    return 10;
  case 9:
    return 8;
  case 10:
    return 9;
  default:
    return type;
  }
}

} // namespace

Failure blockdsl::runtime::cuda::encode(const LoadedKernel &kernel, const TensorMapRequest &request,
                                        const DescribedArray &array, TensorMap &map) {
  const Driver &driver = *kernel.device->driver;
  if (!driver.encodeTiled)
    return {Failure::NoDriver, "it is too old: it has no cuTensorMapEncodeTiled"};
  if (array.rank != request.box.size() || array.rank > kMaxRank)
    return {Failure::TensorMap, nullptr, 0, static_cast<int64_t>(array.rank), static_cast<int64_t>(request.box.size())};
  // The driver's dimensions start with the contiguous one, which has no stride; strides are in bytes.
  uint64_t sizes[kMaxRank], strides[kMaxRank];
  uint32_t box[kMaxRank], steps[kMaxRank];
  for (size_t d = 0; d < array.rank; ++d) {
    size_t from = array.rank - 1 - d;
    sizes[d] = static_cast<uint64_t>(array.shape[from]) * (d == 0 && request.isPaddedFp4 ? 2 : 1);
    box[d] = request.box[from];
    steps[d] = 1;
    if (d > 0)
      strides[d - 1] = static_cast<uint64_t>(array.strides[from]) * static_cast<uint64_t>(request.elementBytes);
  }
  CurrentContext current(*kernel.device);
  if (Failure failure = current.failure())
    return failure;
  int type = array.isRounded ? kRoundedFloat : driverType(request.elementType);
  Result result =
      driver.encodeTiled(&map, type, static_cast<uint32_t>(array.rank), reinterpret_cast<void *>(array.base), sizes,
                         strides, box, steps, Interleave::None, request.swizzle, L2Promotion::Bytes128,
                         array.isPaddedWithNaN ? OutOfBounds::NaN : OutOfBounds::Zero);
  return result == 0 ? Failure{} : failed("cuTensorMapEncodeTiled", result);
}

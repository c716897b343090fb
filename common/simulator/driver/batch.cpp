// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Many copies or prefetches in one call.
#include "simulator/driver/frame.h"

using namespace roofline::sim;
using namespace roofline::sim::driver;

static_assert(sizeof(CUmemcpyAttributes) == sizeof(cudaMemcpyAttributes));

namespace {

/// Lists of addresses are lists of pointers.
void** pointers(CUdeviceptr* addresses) { return reinterpret_cast<void**>(addresses); }
cudaMemLocation* same(CUmemLocation* locations) { return reinterpret_cast<cudaMemLocation*>(locations); }

}  // namespace

CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* to, CUdeviceptr* from, size_t* sizes, size_t n,
                               CUmemcpyAttributes* attributes, size_t* begins, size_t n_attributes,
                               CUstream stream) {
  return in_context([&] {
    return cudaMemcpyBatchAsync(pointers(to), pointers(from), sizes, n,
                                reinterpret_cast<cudaMemcpyAttributes*>(attributes), begins, n_attributes,
                                given(stream));
  });
}
/// Which copy failed is not known: the first version allows that.
CUresult cuMemcpyBatchAsync(CUdeviceptr* to, CUdeviceptr* from, size_t* sizes, size_t n,
                            CUmemcpyAttributes* attributes, size_t* begins, size_t n_attributes,
                            size_t* failed, CUstream stream) {
  const CUresult result = cuMemcpyBatchAsync_v2(to, from, sizes, n, attributes, begins, n_attributes, stream);
  if (failed && result != CUDA_SUCCESS) *failed = SIZE_MAX;
  return result;
}
CUresult cuMemPrefetchBatchAsync(CUdeviceptr* addresses, size_t* sizes, size_t n, CUmemLocation* locations,
                                 size_t* begins, size_t n_locations, unsigned long long flags,
                                 CUstream stream) {
  return in_context([&] {
    return cudaMemPrefetchBatchAsync(pointers(addresses), sizes, n, same(locations), begins, n_locations,
                                     flags, given(stream));
  });
}
CUresult cuMemDiscardBatchAsync(CUdeviceptr* addresses, size_t* sizes, size_t n, unsigned long long flags,
                                CUstream stream) {
  return in_context(
      [&] { return cudaMemDiscardBatchAsync(pointers(addresses), sizes, n, flags, given(stream)); });
}
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* addresses, size_t* sizes, size_t n,
                                           CUmemLocation* locations, size_t* begins, size_t n_locations,
                                           unsigned long long flags, CUstream stream) {
  return in_context([&] {
    return cudaMemDiscardAndPrefetchBatchAsync(pointers(addresses), sizes, n, same(locations), begins,
                                               n_locations, flags, given(stream));
  });
}

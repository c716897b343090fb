// expect: too-slow
// bench: one block
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 1. One block walks over x: 1024 numbers at a time, by shuffles and a barrier, and takes the sum along.
// One SM of all that the device has.

#include "scan.h"

namespace {

constexpr unsigned kAll = 0xffffffffU;

__device__ std::uint32_t up_to_here(std::uint32_t v) {
  for (int distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t below = __shfl_up_sync(kAll, v, distance);
    if (threadIdx.x % 32 >= distance) v += below;
  }
  return v;
}

__global__ void scan_kernel(const std::uint32_t* x, std::uint32_t* y, std::size_t n) {
  __shared__ std::uint32_t warps[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  std::uint32_t start = 0;
  for (std::size_t first = 0; first < n; first += 1024) {
    const std::size_t i = first + threadIdx.x;
    const std::uint32_t own = i < n ? x[i] : 0, here = up_to_here(own);
    if (lane == 31) warps[warp] = here;
    __syncthreads();
    if (warp == 0) warps[lane] = up_to_here(warps[lane]);
    __syncthreads();
    if (i < n) y[i] = start + (warp > 0 ? warps[warp - 1] : 0) + here - own;
    start += warps[31];
    __syncthreads();
  }
}

}  // namespace

void scan(const std::uint32_t* x, std::uint32_t* y, std::size_t n, std::uint64_t* scratch,
          cudaStream_t stream) {
  scan_kernel<<<1, 1024, 0, stream>>>(x, y, n);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>

#include "copy.h"

namespace {

constexpr unsigned kBlock = 256;

__global__ void copy_vectors(const float4* x, float4* y, std::size_t groups) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i < groups) y[i] = x[i];
}

__global__ void copy_rest(const float* x, float* y, std::size_t first, std::size_t n) {
  const std::size_t i = first + blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i < n) y[i] = x[i];
}

unsigned blocks_for(std::size_t threads) { return static_cast<unsigned>((threads + kBlock - 1) / kBlock); }

}  // namespace

void copy_roof(const float* x, float* y, std::size_t n, cudaStream_t stream) {
  const bool aligned = (reinterpret_cast<std::uintptr_t>(x) | reinterpret_cast<std::uintptr_t>(y)) % 16 == 0;
  const std::size_t groups = aligned ? n / 4 : 0;
  if (groups > 0)
    copy_vectors<<<blocks_for(groups), kBlock, 0, stream>>>(reinterpret_cast<const float4*>(x),
                                                            reinterpret_cast<float4*>(y), groups);
  if (4 * groups < n) copy_rest<<<blocks_for(n - 4 * groups), kBlock, 0, stream>>>(x, y, 4 * groups, n);
}

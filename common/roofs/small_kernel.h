// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>

/// The kernel of the launch roofs: one float a thread, so little work that the time from one to the next is
/// all overhead.
static __global__ void small_kernel(const float* x, float* y, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaf(0.999F, x[i], 0.001F);
}

/// The k-th link of the chain: the first reads x, the others what the one before has written.
inline void launch_small(int k, const float* x, float* y, std::size_t n, cudaStream_t stream) {
  constexpr unsigned kBlock = 256;
  const auto count = static_cast<unsigned>(n);
  small_kernel<<<(count + kBlock - 1) / kBlock, kBlock, 0, stream>>>(k == 0 ? x : y, y, count);
}

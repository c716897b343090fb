// expect: excellent
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Four elements a thread share one block of random numbers and 16-byte accesses. Then the thread is done: a
// remainder, a load of the bias and a key schedule for each group.

#include "residual.h"

namespace {

constexpr unsigned kBlock = 256;

__device__ float element(float x, float bias, float residual, std::uint32_t random, std::uint32_t threshold,
                         float scale) {
  return residual + (random >= threshold ? scale * gelu(x + bias) : 0.0F);
}

// columns is a multiple of 4: a group of four lies within one row.
__global__ void vectorised(const float4* x, const float4* bias, const float4* residual, float4* y,
                           std::uint64_t seed, std::uint32_t threshold, float scale, unsigned groups,
                           unsigned columns4) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;  // 32 bits: the remainder below is five times cheaper
  if (i >= groups) return;
  const float4 v = x[i], r = residual[i], b = bias[i % columns4];
  const roofline::PhiloxBlock random = roofline::philox(seed, i);
  y[i] = {element(v.x, b.x, r.x, random.word[0], threshold, scale),
          element(v.y, b.y, r.y, random.word[1], threshold, scale),
          element(v.z, b.z, r.z, random.word[2], threshold, scale),
          element(v.w, b.w, r.w, random.word[3], threshold, scale)};
}

// Any shape: four elements a thread share the random numbers, not the accesses.
__global__ void scalar(const float* x, const float* bias, const float* residual, float* y, std::uint64_t seed,
                       std::uint32_t threshold, float scale, std::size_t n, std::size_t columns) {
  const std::size_t block = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  const roofline::PhiloxBlock random = roofline::philox(seed, block);
  for (unsigned k = 0; k < 4; ++k) {
    const std::size_t i = 4 * block + k;
    if (i < n) y[i] = element(x[i], bias[i % columns], residual[i], random.word[k], threshold, scale);
  }
}

bool aligned(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer) % 16 == 0; }

}  // namespace

void residual_block(const float* x, const float* bias, const float* residual, float* y, std::uint64_t seed,
                    std::uint32_t threshold, float scale, std::size_t rows, std::size_t columns,
                    cudaStream_t stream) {
  const std::size_t n = rows * columns;
  if (n == 0) return;
  const auto blocks = static_cast<unsigned>(((n + 3) / 4 + kBlock - 1) / kBlock);
  if (columns % 4 == 0 && n / 4 + kBlock < 1ULL << 32 && aligned(x) && aligned(bias) && aligned(residual) &&
      aligned(y)) {
    vectorised<<<blocks, kBlock, 0, stream>>>(
        reinterpret_cast<const float4*>(x), reinterpret_cast<const float4*>(bias),
        reinterpret_cast<const float4*>(residual), reinterpret_cast<float4*>(y), seed, threshold, scale,
        static_cast<unsigned>(n / 4), static_cast<unsigned>(columns / 4));
  } else {
    scalar<<<blocks, kBlock, 0, stream>>>(x, bias, residual, y, seed, threshold, scale, n, columns);
  }
}

// expect: wrong-answer
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Words of a random block in another order: a mask as random, but not the one asked for.

#include "residual.h"

namespace {

constexpr unsigned kBlock = 256, kRows = 4;  // rows that a thread goes through

__device__ float element(float x, float bias, float residual, std::uint32_t random, std::uint32_t threshold,
                         float scale) {
  return residual + (random >= threshold ? scale * gelu(x + bias) : 0.0F);
}

// columns is a multiple of 4: a group of four lies within one row. A thread stays in its column and goes down
// the rows, `stride` groups at a time: one remainder, one load of the bias, one key schedule for all of them.
__global__ void vectorised(const float4* x, const float4* bias, const float4* residual, float4* y,
                           std::uint64_t seed, std::uint32_t threshold, float scale, unsigned groups,
                           unsigned columns4, unsigned stride) {
  const unsigned first = blockIdx.x * kBlock + threadIdx.x;
  if (first >= stride) return;
  const float4 b = bias[first % columns4];
  for (unsigned i = first; i < groups; i += stride) {
    const float4 v = x[i], r = residual[i];
    const roofline::PhiloxBlock random = roofline::philox(seed, i);
    y[i] = {element(v.x, b.x, r.x, random.word[3], threshold, scale),
            element(v.y, b.y, r.y, random.word[1], threshold, scale),
            element(v.z, b.z, r.z, random.word[2], threshold, scale),
            element(v.w, b.w, r.w, random.word[3], threshold, scale)};
  }
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
  if (columns % 4 == 0 && n < 1ULL << 32 && aligned(x) && aligned(bias) && aligned(residual) && aligned(y)) {
    const auto columns4 = static_cast<unsigned>(columns / 4);
    const unsigned stride = static_cast<unsigned>((rows + kRows - 1) / kRows) * columns4;
    vectorised<<<(stride + kBlock - 1) / kBlock, kBlock, 0, stream>>>(
        reinterpret_cast<const float4*>(x), reinterpret_cast<const float4*>(bias),
        reinterpret_cast<const float4*>(residual), reinterpret_cast<float4*>(y), seed, threshold, scale,
        static_cast<unsigned>(n / 4), columns4, stride);
  } else {
    const auto blocks = static_cast<unsigned>(((n + 3) / 4 + kBlock - 1) / kBlock);
    scalar<<<blocks, kBlock, 0, stream>>>(x, bias, residual, y, seed, threshold, scale, n, columns);
  }
}

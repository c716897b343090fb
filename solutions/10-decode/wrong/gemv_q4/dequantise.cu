// expect: too-slow
// bench: halves in memory first
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// One kernel writes the weights to memory as halves, a second multiplies: 4.5 bytes travel for each weight
// instead of half a byte.

#include "gemv_q4.h"

namespace {

constexpr int kWarps = 8, kGroup = 128;

/// A word of eight weights a thread.
__global__ void dequantise(const std::uint32_t* w, const half* scales, uint4* values, std::size_t words) {
  const std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= words) return;
  const float scale = __half2float(scales[8 * i / kGroup]);
  half2 pairs[4];
  for (int k = 0; k < 4; ++k) {
    const int even = static_cast<int>(w[i] << (28 - 8 * k)) >> 28,
              odd = static_cast<int>(w[i] << (24 - 8 * k)) >> 28;
    pairs[k] = __floats2half2_rn(scale * even, scale * odd);
  }
  values[i] = *reinterpret_cast<const uint4*>(pairs);
}

__global__ void gemv(const half* values, const half* x, half* y, int rows, int columns) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * kWarps + threadIdx.x / 32;
  if (row >= rows) return;
  const auto* a = reinterpret_cast<const half2*>(values + std::size_t(row) * columns);
  const auto* b = reinterpret_cast<const half2*>(x);
  float sum = 0;
  for (int i = lane; i < columns / 2; i += 32) {
    const float2 u = __half22float2(a[i]), v = __half22float2(b[i]);
    sum += u.x * v.x + u.y * v.y;
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (lane == 0) y[row] = __float2half(sum);
}

}  // namespace

void gemv_q4(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows, int columns,
             cudaStream_t stream) {
  if (rows == 0) return;
  const std::size_t words = std::size_t(rows) * columns / 8;
  half* values = nullptr;
  cudaMallocAsync(&values, 8 * words * sizeof(half), stream);
  dequantise<<<(words + 255) / 256, 256, 0, stream>>>(reinterpret_cast<const std::uint32_t*>(w), scales,
                                                      reinterpret_cast<uint4*>(values), words);
  gemv<<<(rows + kWarps - 1) / kWarps, 32 * kWarps, 0, stream>>>(values, x, y, rows, columns);
  cudaFreeAsync(values, stream);
}

// expect: pass
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A warp for each row: neighbouring lanes read neighbouring words of eight weights. Each nibble becomes an
// integer, and the integer a float.

#include "gemv_q4.h"

namespace {

constexpr int kWarps = 8, kGroup = 128;

__global__ void gemv_q4_kernel(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows,
                               int columns) {
  const int lane = threadIdx.x % 32, row = blockIdx.x * kWarps + threadIdx.x / 32;
  if (row >= rows) return;
  const auto* words = reinterpret_cast<const std::uint32_t*>(w + std::size_t(row) * (columns / 2));
  const half* scale = scales + std::size_t(row) * (columns / kGroup);
  float sum = 0;
  for (int i = lane; i < columns / 8; i += 32) {
    const std::uint32_t word = words[i];
    const uint4 bits = reinterpret_cast<const uint4*>(x)[i];
    const half2* pairs = reinterpret_cast<const half2*>(&bits);
    float dot = 0;
    for (int k = 0; k < 4; ++k) {
      // Shifted to the top and back down again the sign comes along.
      const int even = static_cast<int>(word << (28 - 8 * k)) >> 28,
                odd = static_cast<int>(word << (24 - 8 * k)) >> 28;
      dot += even * __low2float(pairs[k]) + odd * __high2float(pairs[k]);
    }
    sum += __half2float(scale[8 * i / kGroup]) * dot;
  }
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(0xffffffff, sum, distance);
  if (lane == 0) y[row] = __float2half(sum);
}

}  // namespace

void gemv_q4(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows, int columns,
             cudaStream_t stream) {
  if (rows == 0) return;
  gemv_q4_kernel<<<(rows + kWarps - 1) / kWarps, 32 * kWarps, 0, stream>>>(w, scales, x, y, rows, columns);
}

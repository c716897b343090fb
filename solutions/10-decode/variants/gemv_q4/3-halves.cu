// expect: excellent
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two nibbles become two halves at a time: in the low bits of a half 1024, four bits q + 8 make 1024 + q + 8,
// and in the bits above 1024 + 16 (q + 8). One instruction masks them, sets the exponent and flips the sign
// bit; one more subtracts. Four products are added in halves, the rest in float.

#include "gemv_q4.h"

namespace {

constexpr int kWarps = 16, kRows = 2, kGroup = 128, kMostWords = 512;
constexpr unsigned kAll = 0xffffffff;

__device__ half2 as_half2(std::uint32_t bits) { return *reinterpret_cast<const half2*>(&bits); }

/// (w & mask) ^ flip, one instruction.
__device__ std::uint32_t masked(std::uint32_t w, std::uint32_t mask, std::uint32_t flip) {
  std::uint32_t result;
  asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(result) : "r"(w), "r"(mask), "r"(flip));
  return result;
}

/// Eight weights of a word times eight elements of x, the pairs (0, 4), (1, 5), (2, 6), (3, 7).
__device__ float dot8(std::uint32_t w, const uint4& x) {
  constexpr std::uint32_t kLow = 0x000f000f, kHigh = 0x00f000f0, kInLow = 0x64086408, kInHigh = 0x64806480;
  const half2 minus_1032 = as_half2(0xe408e408), sixteenth = as_half2(0x2c002c00),
              minus_72 = as_half2(0xd480d480);
  const std::uint32_t upper = w >> 8;
  half2 sum = __hmul2(__hadd2(as_half2(masked(w, kLow, kInLow)), minus_1032), as_half2(x.x));
  sum = __hfma2(__hfma2(as_half2(masked(w, kHigh, kInHigh)), sixteenth, minus_72), as_half2(x.y), sum);
  sum = __hfma2(__hadd2(as_half2(masked(upper, kLow, kInLow)), minus_1032), as_half2(x.z), sum);
  sum = __hfma2(__hfma2(as_half2(masked(upper, kHigh, kInHigh)), sixteenth, minus_72), as_half2(x.w), sum);
  return __low2float(sum) + __high2float(sum);
}

__global__ void __launch_bounds__(32 * kWarps)
    gemv_q4_kernel(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows, int columns) {
  __shared__ uint4 pairs[4][kMostWords];  // [k][i]: columns 32 i + 8 k and the seven after it
  for (int i = threadIdx.x; i < columns / 8; i += blockDim.x) {
    const uint4 v = reinterpret_cast<const uint4*>(x)[i];
    const half2 a = as_half2(v.x), b = as_half2(v.y), c = as_half2(v.z), d = as_half2(v.w);
    const half2 p[4] = {__lows2half2(a, c), __highs2half2(a, c), __lows2half2(b, d), __highs2half2(b, d)};
    pairs[i % 4][i / 4] = *reinterpret_cast<const uint4*>(p);
  }
  __syncthreads();

  const int lane = threadIdx.x % 32, words = columns / 32;
  const int first = kRows * (blockIdx.x * kWarps + threadIdx.x / 32);
  const uint4* row[kRows];
  const half* scale[kRows];
  for (int k = 0; k < kRows; ++k) {
    const std::size_t r = min(first + k, rows - 1);
    row[k] = reinterpret_cast<const uint4*>(w) + r * words;
    scale[k] = scales + r * (columns / kGroup);
  }
  float sum[kRows] = {};
#pragma unroll 2
  for (int i = lane; i < words; i += 32) {
    uint4 q[kRows];
    float s[kRows];
    for (int k = 0; k < kRows; ++k) q[k] = row[k][i];
    for (int k = 0; k < kRows; ++k) s[k] = __half2float(scale[k][i / 4]);
    const uint4 x0 = pairs[0][i], x1 = pairs[1][i], x2 = pairs[2][i], x3 = pairs[3][i];
    for (int k = 0; k < kRows; ++k)
      sum[k] += s[k] * ((dot8(q[k].x, x0) + dot8(q[k].y, x1)) + (dot8(q[k].z, x2) + dot8(q[k].w, x3)));
  }
  for (int k = 0; k < kRows; ++k) {
    for (int distance = 16; distance > 0; distance /= 2) sum[k] += __shfl_xor_sync(kAll, sum[k], distance);
    if (lane == 0 && first + k < rows) y[first + k] = __float2half(sum[k]);
  }
}

}  // namespace

void gemv_q4(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows, int columns,
             cudaStream_t stream) {
  if (rows == 0) return;
  const int blocks = (rows + kRows * kWarps - 1) / (kRows * kWarps);
  gemv_q4_kernel<<<blocks, 32 * kWarps, 0, stream>>>(w, scales, x, y, rows, columns);
}

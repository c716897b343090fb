// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "mma_e4m3.h"

namespace {

constexpr unsigned kBlock = 256;
constexpr int kChains = 4;  // independent sums a warp: they hide the latency of a product
constexpr int kUnroll = 8;  // keeps the loop counter out of the way
constexpr int kWords = 8;   // 32-bit words of a row of 32 elements

__device__ void multiply(float (&sum)[4], const unsigned (&left)[4], const unsigned (&right)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
}

__global__ void __launch_bounds__(kBlock) mma_chains(const unsigned* operands, float* sums, int repeat) {
  const unsigned lane = threadIdx.x % 32, row = lane / 4, word = lane % 4;
  unsigned left[4], right[kChains][2];
  float sum[kChains][4] = {};
  for (unsigned i = 0; i < 4; ++i) left[i] = operands[(row + i % 2 * 8) * kWords + word + i / 2 * 4];
  for (unsigned c = 0; c < kChains; ++c)
    for (unsigned i = 0; i < 2; ++i) right[c][i] = operands[(16 + 8 * c + row) * kWords + word + 4 * i];
#pragma unroll 1
  for (int r = 0; r < repeat; r += kUnroll) {
#pragma unroll
    for (int k = 0; k < kUnroll; ++k)
      for (int c = 0; c < kChains; ++c) multiply(sum[c], left, right[c]);
  }
  float* tile = sums + std::size_t{128} * ((blockIdx.x * kBlock + threadIdx.x) / 32);
  for (unsigned i = 0; i < 4; ++i)
    tile[(row + i / 2 * 8) * 8 + 2 * word + i % 2] = sum[0][i] + sum[1][i] + sum[2][i] + sum[3][i];
}

}  // namespace

void mma_e4m3_roof(const __nv_fp8_e4m3* operands, float* sums, int repeat, std::size_t warps,
                   cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(warps / (kBlock / 32));
  if (blocks > 0)
    mma_chains<<<blocks, kBlock, 0, stream>>>(reinterpret_cast<const unsigned*>(operands), sums, repeat);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <mma.h>

#include "mma_sync.h"

namespace {

using namespace nvcuda;

constexpr unsigned kBlock = 256;
constexpr int kChains = 4;  // independent sums a warp: they hide the latency of a product
constexpr int kUnroll = 8;  // keeps the loop counter out of the way

__global__ void __launch_bounds__(kBlock) mma_chains(const half* operands, float* sums, int repeat) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right[kChains];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[kChains];
  wmma::load_matrix_sync(left, operands, 16);
  for (int c = 0; c < kChains; ++c) {
    wmma::load_matrix_sync(right[c], operands + 256 * (c + 1), 16);
    wmma::fill_fragment(sum[c], 0.0f);
  }
#pragma unroll 1
  for (int r = 0; r < repeat; r += kUnroll) {
#pragma unroll
    for (int k = 0; k < kUnroll; ++k)
      for (int c = 0; c < kChains; ++c) wmma::mma_sync(sum[c], left, right[c], sum[c]);
  }
  for (int i = 0; i < sum[0].num_elements; ++i)
    for (int c = 1; c < kChains; ++c) sum[0].x[i] += sum[c].x[i];
  const unsigned warp = (blockIdx.x * kBlock + threadIdx.x) / 32;
  wmma::store_matrix_sync(sums + std::size_t{256} * warp, sum[0], 16, wmma::mem_row_major);
}

}  // namespace

void mma_sync_roof(const half* operands, float* sums, int repeat, std::size_t warps, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(warps / (kBlock / 32));
  if (blocks > 0) mma_chains<<<blocks, kBlock, 0, stream>>>(operands, sums, repeat);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Three rungs of a half-precision matrix product with float sums: a tile a warp straight from global memory;
// block tiles in shared memory with padded rows; the same with cp.async in four stages. `wmma_rungs 2048`
// takes any size that 128 divides, `wmma_rungs 2048 3` only the third rung. needs: compute_80
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdlib>

#include "expect.h"

using namespace nvcuda;
using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using FragmentB = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

constexpr int kBlock = 128, kDepth = 32;               // a block makes 128x128 of C, 32 of k at a time
constexpr int kRowA = kDepth + 8, kRowB = kBlock + 8;  // 16 bytes of padding
constexpr int kWarpRows = 64, kWarpColumns = 32;       // 2x4 warps

__global__ void direct(const half* a, const half* b, float* c, int n) {
  const int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16;
  const int column = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 16;
  FragmentA fa;
  FragmentB fb;
  Sum sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + row * n + k, n);
    wmma::load_matrix_sync(fb, b + k * n + column, n);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

struct Tiles {
  half a[kBlock * kRowA];
  half b[kDepth * kRowB];
};

/// What one warp holds of C.
struct WarpTile {
  Sum sums[kWarpRows / 16][kWarpColumns / 16];
  int row = threadIdx.x / 32 / 4 * kWarpRows, column = threadIdx.x / 32 % 4 * kWarpColumns;

  __device__ WarpTile() {
    for (auto& line : sums)
      for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
  }
  __device__ void multiply(const Tiles& tiles) {
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
      FragmentA fa[kWarpRows / 16];
      FragmentB fb[kWarpColumns / 16];
      for (int i = 0; i < kWarpRows / 16; ++i)
        wmma::load_matrix_sync(fa[i], tiles.a + (row + i * 16) * kRowA + k, kRowA);
      for (int j = 0; j < kWarpColumns / 16; ++j)
        wmma::load_matrix_sync(fb[j], tiles.b + k * kRowB + column + j * 16, kRowB);
      for (int i = 0; i < kWarpRows / 16; ++i)
        for (int j = 0; j < kWarpColumns / 16; ++j) wmma::mma_sync(sums[i][j], fa[i], fb[j], sums[i][j]);
    }
  }
  __device__ void store(float* c, int n) {
    float* corner = c + (blockIdx.y * kBlock + row) * n + blockIdx.x * kBlock + column;
    for (int i = 0; i < kWarpRows / 16; ++i)
      for (int j = 0; j < kWarpColumns / 16; ++j)
        wmma::store_matrix_sync(corner + i * 16 * n + j * 16, sums[i][j], n, wmma::mem_row_major);
  }
};

/// Calls copy(to, from) for each 16 bytes of the tiles at depth k that this thread moves.
template <typename Copy>
__device__ void each_piece(Tiles& tiles, const half* a, const half* b, int n, int k, Copy copy) {
  for (int i = threadIdx.x; i < kBlock * kDepth / 8; i += 256) {
    const int row_a = i / (kDepth / 8), column_a = i % (kDepth / 8) * 8;
    const int row_b = i / (kBlock / 8), column_b = i % (kBlock / 8) * 8;
    copy(tiles.a + row_a * kRowA + column_a, a + (blockIdx.y * kBlock + row_a) * n + k + column_a);
    copy(tiles.b + row_b * kRowB + column_b, b + (k + row_b) * n + blockIdx.x * kBlock + column_b);
  }
}

__global__ void __launch_bounds__(256) padded(const half* a, const half* b, float* c, int n) {
  __shared__ alignas(32) Tiles tiles;
  WarpTile mine;
  for (int k = 0; k < n; k += kDepth) {
    each_piece(tiles, a, b, n, k, [](half* to, const half* from) {
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
    });
    __syncthreads();
    mine.multiply(tiles);
    __syncthreads();
  }
  mine.store(c, n);
}

constexpr int kStages = 4;

__global__ void __launch_bounds__(256) staged(const half* a, const half* b, float* c, int n) {
  extern __shared__ __align__(32) unsigned char memory[];
  Tiles* stages = reinterpret_cast<Tiles*>(memory);
  const auto fetch = [&](int k) {
    if (k < n)
      each_piece(stages[k / kDepth % kStages], a, b, n, k,
                 [](half* to, const half* from) { __pipeline_memcpy_async(to, from, 16); });
    __pipeline_commit();
  };
  WarpTile mine;
  for (int s = 0; s < kStages - 1; ++s) fetch(s * kDepth);
  for (int k = 0; k < n; k += kDepth) {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    fetch(k + (kStages - 1) * kDepth);
    mine.multiply(stages[k / kDepth % kStages]);
  }
  mine.store(c, n);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 256, only = argc > 2 ? std::atoi(argv[2]) : 0;
  const size_t count = size_t(n) * n;
  half *a, *b;
  float* c;
  OK(cudaMallocHost(&a, count * sizeof *a));
  OK(cudaMallocHost(&b, count * sizeof *b));
  OK(cudaMallocHost(&c, count * sizeof *c));
  for (size_t i = 0; i < count; ++i) a[i] = float(int(i % 7) - 3), b[i] = float(int(i % 11) - 5);
  half *d_a, *d_b;
  float* d_c;
  OK(cudaMalloc(&d_a, count * sizeof *a));
  OK(cudaMalloc(&d_b, count * sizeof *b));
  OK(cudaMalloc(&d_c, count * sizeof *c));
  OK(cudaMemcpy(d_a, a, count * sizeof *a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_b, b, count * sizeof *b, cudaMemcpyHostToDevice));
  OK(cudaFuncSetAttribute(staged, cudaFuncAttributeMaxDynamicSharedMemorySize, kStages * sizeof(Tiles)));
  for (int rung = 1; rung <= 3; ++rung) {
    if (only != 0 && rung != only) continue;
    OK(cudaMemset(d_c, 0xff, count * sizeof *c));
    const dim3 blocks(n / kBlock, n / kBlock);
    if (rung == 1) direct<<<dim3(n / 64, n / 64), dim3(128, 4)>>>(d_a, d_b, d_c, n);
    if (rung == 2) padded<<<blocks, 256>>>(d_a, d_b, d_c, n);
    if (rung == 3) staged<<<blocks, 256, kStages * sizeof(Tiles)>>>(d_a, d_b, d_c, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(c, d_c, count * sizeof *c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i += 97)
      for (int j = 0; j < n; j += 89) {
        float expected = 0;
        for (int k = 0; k < n; ++k) expected += float(a[size_t(i) * n + k]) * float(b[size_t(k) * n + j]);
        EXPECT(c[size_t(i) * n + j] == expected);
      }
  }
}

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

/// A block of kWarps warps makes kBlock x kBlock of C, kDepth of k at a time; a warp kWarpRows x kWarpColumns
/// of it. Rows in shared memory are padded by 16 bytes.
template <int block, int warp_rows, int warp_columns>
struct Shape {
  static constexpr int kBlock = block, kDepth = 32, kRowA = kDepth + 8, kRowB = kBlock + 8;
  static constexpr int kWarpRows = warp_rows, kWarpColumns = warp_columns;
  static constexpr int kWarpsAcross = kBlock / kWarpColumns,
                       kThreads = kBlock / kWarpRows * kWarpsAcross * 32;
  struct Tiles {
    half a[kBlock * kRowA];
    half b[kDepth * kRowB];
  };
};
using Small = Shape<64, 32, 32>;
using Large = Shape<128, 64, 32>;

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

/// What one warp holds of C.
template <typename S>
struct WarpTile {
  Sum sums[S::kWarpRows / 16][S::kWarpColumns / 16];
  int row = threadIdx.x / 32 / S::kWarpsAcross * S::kWarpRows;
  int column = threadIdx.x / 32 % S::kWarpsAcross * S::kWarpColumns;

  __device__ WarpTile() {
    for (auto& line : sums)
      for (auto& sum : line) wmma::fill_fragment(sum, 0.0f);
  }
  __device__ void multiply(const typename S::Tiles& tiles) {
#pragma unroll
    for (int k = 0; k < S::kDepth; k += 16) {
      FragmentA fa[S::kWarpRows / 16];
      FragmentB fb[S::kWarpColumns / 16];
      for (int i = 0; i < S::kWarpRows / 16; ++i)
        wmma::load_matrix_sync(fa[i], tiles.a + (row + i * 16) * S::kRowA + k, S::kRowA);
      for (int j = 0; j < S::kWarpColumns / 16; ++j)
        wmma::load_matrix_sync(fb[j], tiles.b + k * S::kRowB + column + j * 16, S::kRowB);
      for (int i = 0; i < S::kWarpRows / 16; ++i)
        for (int j = 0; j < S::kWarpColumns / 16; ++j) wmma::mma_sync(sums[i][j], fa[i], fb[j], sums[i][j]);
    }
  }
  __device__ void store(float* c, int n) {
    float* corner = c + (blockIdx.y * S::kBlock + row) * n + blockIdx.x * S::kBlock + column;
    for (int i = 0; i < S::kWarpRows / 16; ++i)
      for (int j = 0; j < S::kWarpColumns / 16; ++j)
        wmma::store_matrix_sync(corner + i * 16 * n + j * 16, sums[i][j], n, wmma::mem_row_major);
  }
};

/// Calls copy(to, from) for each 16 bytes of the tiles at depth k that this thread moves.
template <typename S, typename Copy>
__device__ void each_piece(typename S::Tiles& tiles, const half* a, const half* b, int n, int k, Copy copy) {
#pragma unroll
  for (int i = threadIdx.x; i < S::kBlock * S::kDepth / 8; i += S::kThreads) {
    const int row_a = i / (S::kDepth / 8), column_a = i % (S::kDepth / 8) * 8;
    const int row_b = i / (S::kBlock / 8), column_b = i % (S::kBlock / 8) * 8;
    copy(tiles.a + row_a * S::kRowA + column_a, a + (blockIdx.y * S::kBlock + row_a) * n + k + column_a);
    copy(tiles.b + row_b * S::kRowB + column_b, b + (k + row_b) * n + blockIdx.x * S::kBlock + column_b);
  }
}

template <typename S>
__global__ void __launch_bounds__(S::kThreads) padded(const half* a, const half* b, float* c, int n) {
  __shared__ alignas(32) typename S::Tiles tiles;
  WarpTile<S> mine;
  for (int k = 0; k < n; k += S::kDepth) {
    each_piece<S>(tiles, a, b, n, k, [](half* to, const half* from) {
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
    });
    __syncthreads();
    mine.multiply(tiles);
    __syncthreads();
  }
  mine.store(c, n);
}

constexpr int kStages = 4;

template <typename S>
__global__ void __launch_bounds__(S::kThreads) staged(const half* a, const half* b, float* c, int n) {
  extern __shared__ __align__(32) unsigned char memory[];
  auto* stages = reinterpret_cast<typename S::Tiles*>(memory);
  const auto fetch = [&](int k) {
    if (k < n)
      each_piece<S>(stages[k / S::kDepth % kStages], a, b, n, k,
                    [](half* to, const half* from) { __pipeline_memcpy_async(to, from, 16); });
    __pipeline_commit();
  };
  WarpTile<S> mine;
  for (int s = 0; s < kStages - 1; ++s) fetch(s * S::kDepth);
  for (int k = 0; k < n; k += S::kDepth) {
    __pipeline_wait_prior(kStages - 2);
    __syncthreads();
    fetch(k + (kStages - 1) * S::kDepth);
    mine.multiply(stages[k / S::kDepth % kStages]);
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
  constexpr int kBytes = kStages * sizeof(Large::Tiles);
  OK(cudaFuncSetAttribute(staged<Large>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  for (int rung = 1; rung <= 3; ++rung) {
    if (only != 0 && rung != only) continue;
    OK(cudaMemset(d_c, 0xff, count * sizeof *c));
    if (rung == 1) direct<<<dim3(n / 64, n / 64), dim3(128, 4)>>>(d_a, d_b, d_c, n);
    if (rung == 2) padded<Small><<<dim3(n / 64, n / 64), Small::kThreads>>>(d_a, d_b, d_c, n);
    if (rung == 3) staged<Large><<<dim3(n / 128, n / 128), Large::kThreads, kBytes>>>(d_a, d_b, d_c, n);
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

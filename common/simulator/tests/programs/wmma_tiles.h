// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Half-precision matrix products with float sums, of block tiles of any shape: the rungs of wmma_rungs.cu,
// and what probes/tiles.cu times.
#pragma once
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

#include "expect.h"

using namespace nvcuda;
using FragmentA = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using FragmentB = wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

/// A block makes kRows x kColumns of C, kDepth of k at a time; a warp kWarpRows x kWarpColumns of it. Rows in
/// shared memory are padded by kPadding halves.
template <int rows, int columns, int depth, int warp_rows, int warp_columns, int padding>
struct Shape {
  static constexpr int kRows = rows, kColumns = columns, kDepth = depth;
  static constexpr int kRowA = kDepth + padding, kRowB = kColumns + padding;
  static constexpr int kWarpRows = warp_rows, kWarpColumns = warp_columns;
  static constexpr int kWarpsAcross = kColumns / kWarpColumns,
                       kThreads = kRows / kWarpRows * kWarpsAcross * 32;
  struct Tiles {
    half a[kRows * kRowA];
    half b[kDepth * kRowB];
  };
};
using Plain = Shape<64, 64, 16, 32, 32, 0>;
using Unpadded = Shape<128, 64, 32, 32, 32, 0>;
using Padded = Shape<64, 64, 32, 32, 32, 8>;
using Large = Shape<128, 128, 32, 64, 32, 8>;

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
    float* corner = c + (blockIdx.y * S::kRows + row) * n + blockIdx.x * S::kColumns + column;
    for (int i = 0; i < S::kWarpRows / 16; ++i)
      for (int j = 0; j < S::kWarpColumns / 16; ++j)
        wmma::store_matrix_sync(corner + i * 16 * n + j * 16, sums[i][j], n, wmma::mem_row_major);
  }
};

/// Calls copy(to, from) for each kPiece halves of the tiles at depth k that this thread moves.
template <typename S, int kPiece = 8, typename Copy>
__device__ void each_piece(typename S::Tiles& tiles, const half* a, const half* b, int n, int k, Copy copy) {
  constexpr int kAcrossA = S::kDepth / kPiece, kAcrossB = S::kColumns / kPiece;
#pragma unroll
  for (int i = threadIdx.x; i < S::kRows * kAcrossA; i += S::kThreads) {
    const int row = i / kAcrossA, column = i % kAcrossA * kPiece;
    copy(tiles.a + row * S::kRowA + column, a + (blockIdx.y * S::kRows + row) * n + k + column);
  }
#pragma unroll
  for (int i = threadIdx.x; i < S::kDepth * kAcrossB; i += S::kThreads) {
    const int row = i / kAcrossB, column = i % kAcrossB * kPiece;
    copy(tiles.b + row * S::kRowB + column, b + (k + row) * n + blockIdx.x * S::kColumns + column);
  }
}

template <typename S, typename Piece>
__global__ void __launch_bounds__(S::kThreads) tiled(const half* a, const half* b, float* c, int n) {
  __shared__ alignas(32) typename S::Tiles tiles;
  WarpTile<S> mine;
  for (int k = 0; k < n; k += S::kDepth) {
    each_piece<S, sizeof(Piece) / sizeof(half)>(tiles, a, b, n, k, [](half* to, const half* from) {
      *reinterpret_cast<Piece*>(to) = *reinterpret_cast<const Piece*>(from);
    });
    __syncthreads();
    mine.multiply(tiles);
    __syncthreads();
  }
  mine.store(c, n);
}

template <typename S, int kStages>
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
  if constexpr (kStages == 1) {
    // Nothing is on its way while the block multiplies: only the registers between two memories are saved.
    for (int k = 0; k < n; k += S::kDepth) {
      fetch(k);
      __pipeline_wait_prior(0);
      __syncthreads();
      mine.multiply(stages[0]);
      __syncthreads();
    }
  } else {
    for (int s = 0; s < kStages - 1; ++s) fetch(s * S::kDepth);
    for (int k = 0; k < n; k += S::kDepth) {
      __pipeline_wait_prior(kStages - 2);
      __syncthreads();
      fetch(k + (kStages - 1) * S::kDepth);
      mine.multiply(stages[k / S::kDepth % kStages]);
    }
  }
  mine.store(c, n);
}

template <typename S, int kStages>
void launch_staged(const half* a, const half* b, float* c, int n) {
  constexpr int kBytes = kStages * sizeof(typename S::Tiles);
  OK(cudaFuncSetAttribute(staged<S, kStages>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  staged<S, kStages><<<dim3(n / S::kColumns, n / S::kRows), S::kThreads, kBytes>>>(a, b, c, n);
}

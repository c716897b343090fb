// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Kernels of the shapes of a published ladder of matrix products: C = alpha A B + beta C, each rung by its
// tiles, by how wide it loads and stores, and by whether A lies turned in shared memory.
#pragma once
#include <cuda_fp16.h>
#include <mma.h>

#include <string>
#include <type_traits>

#include "../programs/expect.h"

/// How wide each of the four ways to memory is: elements, or vectors of 16 bytes.
struct Wide {
  bool global = false;        ///< from global into shared memory
  bool a = false, b = false;  ///< from shared memory into registers
  bool c = false;
};

/// A block makes rows x columns of C, `depth` of k at a time, a thread thread_rows x thread_columns of it.
/// warp_columns 0: threads lie in rows over the whole tile; otherwise over a warp's warp_rows x warp_columns.
struct Tile {
  int rows, columns, depth, thread_rows, thread_columns, warp_rows = 0, warp_columns = 0;
  __host__ __device__ constexpr int threads() const {
    return rows * columns / (thread_rows * thread_columns);
  }
};

template <class T>
struct Matrices {
  size_t m, n, k;
  T alpha, beta;
  const T *a, *b;
  T* c;
  /// Rows of C that are made; 0: all. Where a tile has fewer vectors than a block has threads, the others
  /// load too, from rows of A below the tile: those have to be there.
  size_t made = 0;
  unsigned rows() const { return unsigned(made != 0 ? made : m); }
};

/// One element or vector of a factor's tile, zero beyond the matrix; `across`, `end`: where the vector begins
/// and where its row ends.
template <class Piece, class T>
__device__ Piece piece_of(const T* matrix, size_t pitch, size_t row, size_t rows, size_t across, size_t end) {
  constexpr size_t kElements = sizeof(Piece) / sizeof(T);
  Piece piece{};
  if (row < rows && across < end) piece = *reinterpret_cast<const Piece*>(matrix + row * pitch + across);
  if constexpr (kElements > 1) {
    if (across + kElements > end) {
      const size_t beyond = across + kElements - end;
      for (size_t i = 0; i < beyond; ++i) reinterpret_cast<T*>(&piece)[kElements - 1 - i] = T(0.0f);
    }
  }
  return piece;
}

/// The block's tiles of both factors at depth `from`; A turned: [depth][rows], else [rows][depth].
template <class Piece, bool kTurned, int kRows, int kColumns, int kDepth, int kThreads, int kRowA, int kRowB,
          class T>
__device__ void fetch(const Matrices<T>& all, T* tile_a, T* tile_b, size_t from) {
  constexpr size_t kElements = sizeof(Piece) / sizeof(T);
  constexpr size_t kAcrossA = kDepth / kElements, kAcrossB = kColumns / kElements;
  const size_t thread = threadIdx.x;
#pragma unroll
  for (size_t i = 0; i < (kRows * kAcrossA + kThreads - 1) / kThreads; ++i) {
    const size_t row = (thread + i * kThreads) / kAcrossA;
    const size_t across = (thread + i * kThreads) % kAcrossA * kElements;
    const Piece piece = piece_of<Piece>(all.a, all.k, blockIdx.y * kRows + row, all.m, from + across, all.k);
    if (kRows * kAcrossA % kThreads != 0 && row >= kRows) continue;
    if constexpr (kTurned)
      for (size_t e = 0; e < kElements; ++e)
        tile_a[(across + e) * kRowA + row] = reinterpret_cast<const T*>(&piece)[e];
    else
      *reinterpret_cast<Piece*>(tile_a + row * kRowA + across) = piece;
  }
#pragma unroll
  for (size_t i = 0; i < (kDepth * kAcrossB + kThreads - 1) / kThreads; ++i) {
    const size_t row = (thread + i * kThreads) / kAcrossB;
    const size_t across = (thread + i * kThreads) % kAcrossB * kElements;
    const Piece piece =
        piece_of<Piece>(all.b, all.n, from + row, all.k, blockIdx.x * kColumns + across, all.n);
    if (kDepth * kAcrossB % kThreads != 0 && row >= kDepth) continue;
    *reinterpret_cast<Piece*>(tile_b + row * kRowB + across) = piece;
  }
}

/// Lanes of a warp go along a row of C (kAlong) or down a column; every thread one element, no tiles.
template <class T, bool kAlong>
__global__ void untiled(Matrices<T> all) {
  const size_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const size_t row = kAlong ? y : x, column = kAlong ? x : y;
  if (row >= all.m || column >= all.n) return;
  T sum = T(0.0f);
  for (size_t k = 0; k < all.k; ++k) sum += all.a[row * all.k + k] * all.b[k * all.n + column];
  all.c[row * all.n + column] = all.alpha * sum + all.beta * all.c[row * all.n + column];
}

/// Registers from shared memory, `stride` elements apart or as vectors.
template <bool kWide, int kCount, class T>
__device__ void take(T (&values)[kCount], const T* from, size_t stride) {
  if constexpr (kWide) {
#pragma unroll
    for (int i = 0; i < kCount; i += int(16 / sizeof(T)))
      *reinterpret_cast<int4*>(values + i) = *reinterpret_cast<const int4*>(from + i);
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) values[i] = from[i * stride];
  }
}

template <class T, Tile kTile, bool kTurned, Wide kWide>
__global__ void tiled_product(Matrices<T> all) {
  constexpr int kThreads = kTile.threads(), kDown = kTile.thread_rows, kAcross = kTile.thread_columns;
  constexpr int kRowA = kTurned ? kTile.rows : kTile.depth;
  using Piece = std::conditional_t<kWide.global, int4, T>;
  __shared__ T tile_a[kTile.rows * kTile.depth], tile_b[kTile.depth * kTile.columns];
  size_t row, column;
  if constexpr (kTile.warp_columns == 0) {
    row = threadIdx.x / (kTile.columns / kAcross) * kDown;
    column = threadIdx.x % (kTile.columns / kAcross) * kAcross;
  } else {
    constexpr int kWarps = kTile.columns / kTile.warp_columns, kLanes = kTile.warp_columns / kAcross;
    const size_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    row = warp / kWarps * kTile.warp_rows + lane / kLanes * kDown;
    column = warp % kWarps * kTile.warp_columns + lane % kLanes * kAcross;
  }
  T sums[kDown][kAcross] = {}, left[kDown], right[kAcross];
  for (size_t from = 0; from < all.k; from += kTile.depth) {
    fetch<Piece, kTurned, kTile.rows, kTile.columns, kTile.depth, kThreads, kRowA, kTile.columns>(
        all, tile_a, tile_b, from);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile.depth; ++k) {
      take<kWide.a>(left, kTurned ? tile_a + k * kRowA + row : tile_a + row * kRowA + k, kTurned ? 1 : kRowA);
      take<kWide.b>(right, tile_b + k * kTile.columns + column, 1);
#pragma unroll
      for (int r = 0; r < kDown; ++r)
#pragma unroll
        for (int c = 0; c < kAcross; ++c) sums[r][c] += left[r] * right[c];
    }
    __syncthreads();
  }
  using Stored = std::conditional_t<kWide.c, int4, T>;
  constexpr int kElements = sizeof(Stored) / sizeof(T);
#pragma unroll
  for (int r = 0; r < kDown; ++r)
#pragma unroll
    for (int c = 0; c < kAcross; c += kElements) {
      const size_t y = blockIdx.y * kTile.rows + row + r, x = blockIdx.x * kTile.columns + column + c;
      if (y >= all.m || x >= all.n) continue;
      Stored* at = reinterpret_cast<Stored*>(all.c + y * all.n + x);
      Stored stored = *at;
#pragma unroll
      for (int e = 0; e < kElements; ++e) {
        T& one = reinterpret_cast<T*>(&stored)[e];
        one = all.alpha * sums[r][c + e] + all.beta * one;
      }
      *at = stored;
    }
}

/// On the Tensor Core, half sums; A turned, rows of both tiles padded by 16 halves.
template <class Piece>
__global__ void tensor_product(Matrices<half> all) {
  using namespace nvcuda;
  constexpr int kSide = 128, kDepth = 16, kWarpRows = 64, kWarpColumns = 32, kThreads = 256,
                kRow = kSide + 16;
  __shared__ alignas(32) half tile_a[kDepth * kRow], tile_b[kDepth * kRow];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> left[kWarpRows / 16];
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right[kWarpColumns / 16];
  wmma::fragment<wmma::accumulator, 16, 16, 16, half> sums[kWarpRows / 16][kWarpColumns / 16], old;
  for (auto& line : sums)
    for (auto& sum : line) wmma::fill_fragment(sum, half(0.0f));
  const size_t warp = threadIdx.x / 32;
  const size_t row = warp / (kSide / kWarpColumns) * kWarpRows,
               column = warp % (kSide / kWarpColumns) * kWarpColumns;
  for (size_t from = 0; from < all.k; from += kDepth) {
    fetch<Piece, true, kSide, kSide, kDepth, kThreads, kRow, kRow>(all, tile_a, tile_b, from);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kWarpRows / 16; ++i) wmma::load_matrix_sync(left[i], tile_a + row + i * 16, kRow);
#pragma unroll
    for (int j = 0; j < kWarpColumns / 16; ++j)
      wmma::load_matrix_sync(right[j], tile_b + column + j * 16, kRow);
#pragma unroll
    for (int i = 0; i < kWarpRows / 16; ++i)
#pragma unroll
      for (int j = 0; j < kWarpColumns / 16; ++j) wmma::mma_sync(sums[i][j], left[i], right[j], sums[i][j]);
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kWarpRows / 16; ++i)
#pragma unroll
    for (int j = 0; j < kWarpColumns / 16; ++j) {
      half* corner =
          all.c + (blockIdx.y * kSide + row + i * 16) * all.n + blockIdx.x * kSide + column + j * 16;
      wmma::load_matrix_sync(old, corner, unsigned(all.n), wmma::mem_row_major);
      for (int e = 0; e < old.num_elements; ++e) old.x[e] = all.alpha * sums[i][j].x[e] + all.beta * old.x[e];
      wmma::store_matrix_sync(corner, old, unsigned(all.n), wmma::mem_row_major);
    }
}

// ---- the rungs ----

inline constexpr Tile k02{32, 32, 32, 1, 1}, k03{64, 64, 8, 8, 1}, k04{128, 128, 16, 8, 8},
    k06{128, 128, 16, 8, 8, 64, 32};

/// Shared memory that leaves room for `blocks` of the kernel on an SM. The published kernels of some rungs
/// need more registers than ours (nvcc 13.0, sm_86), so that fewer blocks fit: 156 for 07, 73 for f16/05v, 67
/// for 07v.
template <class Kernel>
size_t room_for(Kernel* kernel, int blocks) {
  constexpr size_t kReserved = 1024;
  cudaFuncAttributes facts;
  cudaDeviceProp device;
  OK(cudaFuncGetAttributes(&facts, kernel));
  OK(cudaGetDeviceProperties(&device, 0));
  const size_t bytes =
      device.sharedMemPerMultiprocessor / (blocks + 1) - kReserved - facts.sharedSizeBytes + 128;
  OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
  return bytes;
}

/// `blocks`: at most so many an SM; 0: as many as fit.
template <class T, Tile kTile, bool kTurned, Wide kWide>
void launch(const Matrices<T>& all, int blocks = 0) {
  const auto kernel = tiled_product<T, kTile, kTurned, kWide>;
  const size_t shared = blocks ? room_for(kernel, blocks) : 0;
  kernel<<<dim3(unsigned(all.n) / kTile.columns, all.rows() / kTile.rows), kTile.threads(), shared>>>(all);
}

/// By the published name.
template <class T>
void run(const std::string& rung, const Matrices<T>& all) {
  const dim3 along(unsigned(all.n) / 32, all.rows() / 32), down(all.rows() / 32, unsigned(all.n) / 32);
  if (rung == "00")
    untiled<T, false><<<down, dim3(32, 32)>>>(all);
  else if (rung == "01")
    untiled<T, true><<<along, dim3(32, 32)>>>(all);
  else if (rung == "02")
    launch<T, k02, false, Wide{}>(all);
  else if (rung == "02v")
    launch<T, k02, false, Wide{.global = true}>(all);
  else if (rung == "03")
    launch<T, k03, false, Wide{}>(all);
  else if (rung == "03v")
    launch<T, k03, false, Wide{.global = true}>(all);
  else if (rung == "04")
    launch<T, k04, false, Wide{}>(all);
  else if (rung == "04v")
    launch<T, k04, false, Wide{.b = true, .c = true}>(all);
  else if (rung == "05")
    launch<T, k04, true, Wide{}>(all);
  else if (rung == "05v")
    launch<T, k04, true, Wide{.global = true, .b = true, .c = true}>(all, sizeof(T) == 2 ? 3 : 0);
  else if (rung == "06")
    launch<T, k06, true, Wide{}>(all);
  else if (rung == "06v")
    launch<T, k06, true, Wide{true, true, true, true}>(all);
  else if constexpr (std::is_same_v<T, half>) {
    const dim3 grid(unsigned(all.n) / 128, all.rows() / 128);
    if (rung == "07")
      tensor_product<half><<<grid, 256, room_for(tensor_product<half>, 1)>>>(all);
    else if (rung == "07v")
      tensor_product<int4><<<grid, 256, room_for(tensor_product<int4>, 3)>>>(all);
    else
      EXPECT(!"a rung");
  } else {
    EXPECT(!"a rung");
  }
  OK(cudaGetLastError());
}

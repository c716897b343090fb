// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A thread moves a block of 4 x 4: four loads of 16 bytes, an exchange in its own registers, and four stores
// of 16 bytes into the tile, whose groups of four floats are swizzled. A quarter of the requests of one float
// a thread. Matrices whose sides are no multiples of 64, and pointers that are no multiples of 16, take a
// padded tile of 32 x 32.

#include "transpose.h"

namespace {

constexpr int kTile = 64, kGroups = kTile / 4;  // 16 x 16 threads, each a block of 4 x 4

__global__ void wide_kernel(const float* x, float* y, int rows, int columns) {
  __shared__ float4 tile[kTile][kGroups];  // row: a column of x; group: four rows of x
  const int across = columns / kTile, g = threadIdx.x, h = threadIdx.y;
  const std::size_t row = blockIdx.x / across * kTile, column = blockIdx.x % across * kTile;

  float v[4][4];
  for (int k = 0; k < 4; ++k)
    *reinterpret_cast<float4*>(v[k]) =
        reinterpret_cast<const float4*>(x + (row + 4 * h + k) * columns + column)[g];
  for (int k = 0; k < 4; ++k)
    tile[4 * g + k][(h ^ g) % kGroups] = make_float4(v[0][k], v[1][k], v[2][k], v[3][k]);
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    const int c = 16 * k + h;
    reinterpret_cast<float4*>(y + (column + c) * rows + row)[g] = tile[c][(g ^ c / 4) % kGroups];
  }
}

constexpr int kSmall = 32, kWarps = 8;

__global__ void any_kernel(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[kSmall][kSmall + 1];
  const int lane = threadIdx.x, warp = threadIdx.y, tiles_across = (columns + kSmall - 1) / kSmall;
  const int row = static_cast<int>(blockIdx.x) / tiles_across * kSmall;
  const int column = static_cast<int>(blockIdx.x) % tiles_across * kSmall;
  for (int k = 0; k < kSmall; k += kWarps) {
    const int r = k + warp;
    if (row + r < rows && column + lane < columns)
      tile[r][lane] = x[std::size_t(row + r) * columns + column + lane];
  }
  __syncthreads();
  for (int k = 0; k < kSmall; k += kWarps) {
    const int c = k + warp;
    if (column + c < columns && row + lane < rows)
      y[std::size_t(column + c) * rows + row + lane] = tile[lane][c];
  }
}

}  // namespace

void transpose(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const bool aligned = (reinterpret_cast<std::size_t>(x) | reinterpret_cast<std::size_t>(y)) % 16 == 0;
  if (aligned && rows % kTile == 0 && columns % kTile == 0) {
    const unsigned tiles = unsigned(rows) / kTile * (unsigned(columns) / kTile);
    wide_kernel<<<tiles, dim3(kGroups, kGroups), 0, stream>>>(x, y, rows, columns);
    return;
  }
  const unsigned down = (unsigned(rows) + kSmall - 1) / kSmall,
                 across = (unsigned(columns) + kSmall - 1) / kSmall;
  any_kernel<<<down * across, dim3(kSmall, kWarps), 0, stream>>>(x, y, rows, columns);
}

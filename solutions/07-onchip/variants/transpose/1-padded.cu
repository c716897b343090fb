// expect: excellent
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A tile in shared memory, read along its rows and written along its columns. A column of padding spreads
// each column of the tile over all 32 banks.

#include "transpose.h"

namespace {

constexpr int kTile = 32;  // floats; a warp reads one row of a tile
constexpr int kWarps = 8;  // of a block: each handles four rows

__global__ void transpose_kernel(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int lane = threadIdx.x, warp = threadIdx.y, tiles_across = (columns + kTile - 1) / kTile;
  const int row = static_cast<int>(blockIdx.x) / tiles_across * kTile;
  const int column = static_cast<int>(blockIdx.x) % tiles_across * kTile;

  for (int k = 0; k < kTile; k += kWarps) {
    const int r = k + warp;
    if (row + r < rows && column + lane < columns)
      tile[r][lane] = x[std::size_t(row + r) * columns + column + lane];
  }
  __syncthreads();
  for (int k = 0; k < kTile; k += kWarps) {
    const int c = k + warp;
    if (column + c < columns && row + lane < rows)
      y[std::size_t(column + c) * rows + row + lane] = tile[lane][c];
  }
}

}  // namespace

void transpose(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const unsigned down = (unsigned(rows) + kTile - 1) / kTile,
                 across = (unsigned(columns) + kTile - 1) / kTile;
  transpose_kernel<<<down * across, dim3(kTile, kWarps), 0, stream>>>(x, y, rows, columns);
}

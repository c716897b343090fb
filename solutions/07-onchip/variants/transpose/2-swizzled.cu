// expect: excellent
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// No padding: row r keeps its column c at place c ^ r. The exclusive or of a row number with 0 .. 31 is again
// each of 0 .. 31 once, so a row and a column both lie in 32 different banks, and the tile takes 4096 bytes
// and not 4224.

#include "transpose.h"

namespace {

constexpr int kTile = 32, kWarps = 8;

__global__ void transpose_kernel(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[kTile][kTile];
  const int lane = threadIdx.x, warp = threadIdx.y, tiles_across = (columns + kTile - 1) / kTile;
  const int row = static_cast<int>(blockIdx.x) / tiles_across * kTile;
  const int column = static_cast<int>(blockIdx.x) % tiles_across * kTile;

  for (int k = 0; k < kTile; k += kWarps) {
    const int r = k + warp;
    if (row + r < rows && column + lane < columns)
      tile[r][lane ^ r] = x[std::size_t(row + r) * columns + column + lane];
  }
  __syncthreads();
  for (int k = 0; k < kTile; k += kWarps) {
    const int c = k + warp;
    if (column + c < columns && row + lane < rows)
      y[std::size_t(column + c) * rows + row + lane] = tile[lane][c ^ lane];
  }
}

}  // namespace

void transpose(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const unsigned down = (unsigned(rows) + kTile - 1) / kTile,
                 across = (unsigned(columns) + kTile - 1) / kTile;
  transpose_kernel<<<down * across, dim3(kTile, kWarps), 0, stream>>>(x, y, rows, columns);
}

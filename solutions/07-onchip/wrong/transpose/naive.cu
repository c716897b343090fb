// expect: too-slow
// needs: sim:a100-sxm4-40gb
// bench: without shared memory
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 1. A warp reads a row of x, and writes a column of y: 32 lanes, 32 sectors.

#include "transpose.h"

namespace {

__global__ void transpose_kernel(const float* x, float* y, int rows, int columns) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i >= std::size_t(rows) * columns) return;
  const std::size_t row = i / columns, column = i % columns;
  y[column * rows + row] = x[i];
}

}  // namespace

void transpose(const float* x, float* y, int rows, int columns, cudaStream_t stream) {
  const std::size_t n = std::size_t(rows) * columns;
  if (n != 0)
    transpose_kernel<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, rows, columns);
}

// expect: too-slow
// bench: a thread for each row
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A thread for each row, byte by byte: the lanes of a warp read addresses that are a whole row apart.

#include "gemv_q4.h"

namespace {

constexpr int kGroup = 128;

__global__ void gemv_q4_kernel(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows,
                               int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  w += std::size_t(row) * (columns / 2);
  scales += std::size_t(row) * (columns / kGroup);
  float sum = 0;
  for (int g = 0; g < columns / kGroup; ++g) {
    float dot = 0;
    for (int c = g * kGroup; c < (g + 1) * kGroup; c += 2) {
      const int byte = w[c / 2], low = ((byte & 15) ^ 8) - 8, high = (byte >> 4 ^ 8) - 8;
      dot += low * __half2float(x[c]) + high * __half2float(x[c + 1]);
    }
    sum += __half2float(scales[g]) * dot;
  }
  y[row] = __float2half(sum);
}

}  // namespace

void gemv_q4(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows, int columns,
             cudaStream_t stream) {
  if (rows == 0) return;
  gemv_q4_kernel<<<(rows + 127) / 128, 128, 0, stream>>>(w, scales, x, y, rows, columns);
}

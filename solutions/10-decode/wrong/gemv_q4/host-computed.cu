// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU does the work: in simulation host time is free, so it has to be forbidden.

#include <vector>

#include "gemv_q4.h"

void gemv_q4(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows, int columns,
             cudaStream_t stream) {
  std::vector<std::uint8_t> bytes(std::size_t(rows) * columns / 2);
  std::vector<half> of_groups(std::size_t(rows) * columns / 128), in(columns), out(rows);
  cudaMemcpyAsync(bytes.data(), w, bytes.size(), cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(of_groups.data(), scales, of_groups.size() * sizeof(half), cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(in.data(), x, in.size() * sizeof(half), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c) {
      const std::size_t i = std::size_t(r) * columns + c;
      const int nibble = bytes[i / 2] >> 4 * (i % 2) & 15;
      sum += double{__half2float(of_groups[i / 128])} * ((nibble ^ 8) - 8) * __half2float(in[c]);
    }
    out[r] = __double2half(sum);
  }
  cudaMemcpyAsync(y, out.data(), out.size() * sizeof(half), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}

// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU adds up, and x and y go over the link.

#include <vector>

#include "scan.h"

void scan(const std::uint32_t* x, std::uint32_t* y, std::size_t n, std::uint64_t* scratch,
          cudaStream_t stream) {
  std::vector<std::uint32_t> copy(n);
  cudaMemcpyAsync(copy.data(), x, n * sizeof(*x), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::uint32_t sum = 0;
  for (std::uint32_t& v : copy) {
    const std::uint32_t own = v;
    v = sum;
    sum += own;
  }
  cudaMemcpyAsync(y, copy.data(), n * sizeof(*y), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}

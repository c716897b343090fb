// expect: wrong-answer
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// C is cleared and nothing else.

#include "gemm.h"

namespace {

__global__ void clear(float* c, std::size_t count) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < count) c[i] = 0;
}

}  // namespace

void gemm(const half*, const half*, float* c, int m, int n, int, cudaStream_t stream) {
  const std::size_t count = std::size_t(m) * n;
  if (count > 0) clear<<<static_cast<unsigned>((count + 255) / 256), 256, 0, stream>>>(c, count);
}

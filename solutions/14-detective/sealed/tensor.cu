// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Tensor-bound: products of 16 x 16 tiles that stay in registers.
// sealed: 0e065a
#include <mma.h>

#include "program.h"

using namespace nvcuda;

extern "C" __global__ void kernel(float* y, int rounds) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c[4];
  wmma::fill_fragment(a, __float2half(0.5f));
  wmma::fill_fragment(b, __float2half(0.25f));
  for (int k = 0; k < 4; ++k) wmma::fill_fragment(c[k], 0.0f);
  for (int i = 0; i < rounds; ++i)
#pragma unroll
    for (int k = 0; k < 16; ++k) wmma::mma_sync(c[k % 4], a, b, c[k % 4]);
  const int warp = static_cast<int>(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32);
  for (int k = 1; k < 4; ++k)
    for (int e = 0; e < c[0].num_elements; ++e) c[0].x[e] += c[k].x[e];
  wmma::store_matrix_sync(y + 256 * static_cast<std::size_t>(warp), c[0], 16, wmma::mem_row_major);
}

int main(int argc, char** argv) {
  const int n = times(argc, argv), rounds = drawn(150, 200);
  bring(drawn(40, 120) * n);
  const int blocks = 108 * 2 * n;
  auto* y = static_cast<float*>(device_bytes(sizeof(float) * 256 * 8 * static_cast<std::size_t>(blocks)));
  kernel<<<blocks, 256>>>(y, rounds);
  return finished();
}

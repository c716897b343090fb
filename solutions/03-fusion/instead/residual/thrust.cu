// bench: thrust::for_each over the elements
// needs: gpu
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// One pass, one element at a time: each works out a block of four random numbers and uses one of them.

#include <thrust/execution_policy.h>
#include <thrust/for_each.h>
#include <thrust/iterator/counting_iterator.h>

#include "residual.h"

namespace {

struct Element {
  const float *x, *bias, *residual;
  float* y;
  std::uint64_t seed;
  std::uint32_t threshold;
  float scale;
  std::size_t columns;

  __device__ void operator()(std::size_t i) const {
    const float v = gelu(x[i] + bias[i % columns]);
    y[i] = residual[i] + (keep(i, seed, threshold) ? scale * v : 0.0F);
  }
};

}  // namespace

void residual_block(const float* x, const float* bias, const float* residual, float* y, std::uint64_t seed,
                    std::uint32_t threshold, float scale, std::size_t rows, std::size_t columns,
                    cudaStream_t stream) {
  thrust::for_each_n(thrust::cuda::par_nosync.on(stream), thrust::counting_iterator<std::size_t>(0),
                     rows * columns, Element{x, bias, residual, y, seed, threshold, scale, columns});
}

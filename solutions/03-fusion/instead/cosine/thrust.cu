// bench: thrust::transform with both cosines
// needs: gpu
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fused by hand, in the functor: the library knows nothing of the second cosine.

#include <thrust/execution_policy.h>
#include <thrust/transform.h>

#include "cosine.h"

namespace {

struct CosineTwice {
  __device__ float operator()(float x) const { return cosf(cosf(x)); }
};

}  // namespace

void cosine_twice(const float* x, float* y, std::size_t n, cudaStream_t stream) {
  thrust::transform(thrust::cuda::par_nosync.on(stream), x, x + n, y, CosineTwice{});
}

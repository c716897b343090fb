// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of part B: a pass over what four GPUs hold, and behind it, in each GPU's stream, somebody who
// reads the sums and writes the next gradients, as an optimiser and the next step would.

#include "buckets.h"
#include "worker/worker.h"

namespace {

/// Touches some of the sums and gradients, from the first to the last: the checks see an access that nothing
/// orders.
__global__ void optimiser(const float* sums, float* gradients, std::size_t n) {
  const std::size_t apart = (n + blockDim.x - 1) / blockDim.x, i = threadIdx.x * apart;
  if (i < n) gradients[i] = sums[i];
}

void call(const float* x0, const float* x1, const float* x2, const float* x3, float* gradients0,
          float* gradients1, float* gradients2, float* gradients3, float* sums0, float* sums1, float* sums2,
          float* sums3, std::size_t n, int layers, float scale, int work, std::size_t bucket,
          cudaStream_t stream0, cudaStream_t stream1, cudaStream_t stream2, cudaStream_t stream3) {
  float* const sums[] = {sums0, sums1, sums2, sums3};
  const cudaStream_t streams[] = {stream0, stream1, stream2, stream3};
  Backward backward({.x = {x0, x1, x2, x3},
                     .gradients = {gradients0, gradients1, gradients2, gradients3},
                     .n = n,
                     .layers = layers,
                     .scale = scale,
                     .work = work});
  backward_and_sum(backward, sums, bucket > 0 ? bucket : bucket_size(n), streams);
  if (!backward.begun()) return;  // the function still has to be written
  for (int gpu = 0; gpu < backward.gpus(); ++gpu) {
    cudaSetDevice(gpu);
    optimiser<<<1, 256, 0, streams[gpu]>>>(sums[gpu], backward.gradients(gpu), n);
  }
  cudaSetDevice(0);
}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(call, argc, argv); }

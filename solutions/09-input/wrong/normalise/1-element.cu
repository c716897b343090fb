// expect: too-slow
// bench: an element a thread
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 1: a thread for each element of the output. Neighbours write beside each other, and read every third
// byte; each byte's sector is asked for by three warps far apart.

#include "normalise.h"

namespace {

constexpr int kThreads = 256;

__global__ void normalise_kernel(const std::uint8_t* nhwc, half* nchw, const float* mean, const float* scale,
                                 int pixels, std::size_t all) {
  const std::size_t at = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  if (at >= all) return;
  const std::size_t plane = at / pixels, pixel = at % pixels, image = plane / 3;
  const int c = plane % 3;
  nchw[at] = __float2half((nhwc[3 * (image * pixels + pixel) + c] - mean[c]) * scale[c]);
}

}  // namespace

void normalise(const std::uint8_t* nhwc, half* nchw, const float* mean, const float* scale, int images,
               int pixels, cudaStream_t stream) {
  const std::size_t all = std::size_t(images) * pixels * 3;
  if (all == 0) return;
  normalise_kernel<<<unsigned((all + kThreads - 1) / kThreads), kThreads, 0, stream>>>(nhwc, nchw, mean,
                                                                                       scale, pixels, all);
}

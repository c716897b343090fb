// expect: too-slow
// bench: a launch for each colour
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A launch for each colour, four pixels a thread: all bytes are read three times, once for each plane.

#include "normalise.h"

namespace {

constexpr int kThreads = 256, kPixels = 4;

__global__ void one_colour(const std::uint8_t* nhwc, half* nchw, const float* mean, const float* scale, int c,
                           int pixels, std::size_t all) {
  const std::size_t first = kPixels * (blockIdx.x * std::size_t{kThreads} + threadIdx.x);
  for (std::size_t at = first; at < first + kPixels && at < all; ++at) {
    const std::size_t image = at / pixels, pixel = at % pixels;
    nchw[(3 * image + c) * pixels + pixel] = __float2half((nhwc[3 * at + c] - mean[c]) * scale[c]);
  }
}

}  // namespace

void normalise(const std::uint8_t* nhwc, half* nchw, const float* mean, const float* scale, int images,
               int pixels, cudaStream_t stream) {
  const std::size_t all = std::size_t(images) * pixels, block = kThreads * kPixels;
  if (all == 0) return;
  for (int c = 0; c < 3; ++c)
    one_colour<<<unsigned((all + block - 1) / block), kThreads, 0, stream>>>(nhwc, nchw, mean, scale, c,
                                                                             pixels, all);
}

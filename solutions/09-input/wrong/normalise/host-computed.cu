// expect: host-computed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The CPU does the work: in simulation host time is free, so it has to be forbidden.

#include <vector>

#include "normalise.h"

void normalise(const std::uint8_t* nhwc, half* nchw, const float* mean, const float* scale, int images,
               int pixels, cudaStream_t stream) {
  const std::size_t all = std::size_t(images) * pixels;
  std::vector<std::uint8_t> bytes(3 * all);
  std::vector<half> halves(3 * all);
  float m[3], s[3];
  cudaMemcpyAsync(m, mean, sizeof m, cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(s, scale, sizeof s, cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(bytes.data(), nhwc, 3 * all, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  for (std::size_t at = 0; at < all; ++at)
    for (int c = 0; c < 3; ++c)
      halves[(3 * (at / pixels) + c) * pixels + at % pixels] =
          __float2half((bytes[3 * at + c] - m[c]) * s[c]);
  cudaMemcpyAsync(nchw, halves.data(), 3 * all * sizeof(half), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}

// expect: excellent
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 3: a thread takes four neighbouring pixels, 12 bytes in three loads, and stores 8
// bytes into each plane. The loads of a warp touch the same sectors three times, the second and third in L1.

#include "normalise.h"

namespace {

constexpr int kThreads = 256, kGroup = 4;

/// Pictures of any size at any address: a thread for each pixel.
__global__ void any_pixels(const std::uint8_t* nhwc, half* nchw, const float* mean, const float* scale,
                           int pixels, std::size_t all) {
  const std::size_t at = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  if (at >= all) return;
  const std::size_t image = at / pixels, pixel = at % pixels;
  for (int c = 0; c < 3; ++c)
    nchw[(3 * image + c) * pixels + pixel] = __float2half((nhwc[3 * at + c] - mean[c]) * scale[c]);
}

/// Four pixels a thread; an image is `groups` of them.
__global__ void whole_groups(const unsigned* nhwc, uint2* nchw, const float* mean, const float* scale,
                             unsigned groups, unsigned all) {
  const unsigned at = blockIdx.x * kThreads + threadIdx.x;
  if (at >= all) return;
  const unsigned image = at / groups, group = at % groups;
  unsigned loaded[3];
  for (int k = 0; k < 3; ++k) loaded[k] = nhwc[3 * std::size_t{at} + k];
  const auto byte = [&](int i) { return float(loaded[i / 4] >> i % 4 * 8 & 0xff); };
  for (int c = 0; c < 3; ++c) {
    const float m = mean[c], s = scale[c];
    uint2 plane;
    auto* pairs = reinterpret_cast<half2*>(&plane);
    for (int k = 0; k < kGroup; k += 2)
      pairs[k / 2] = __floats2half2_rn((byte(3 * k + c) - m) * s, (byte(3 * k + 3 + c) - m) * s);
    nchw[(3 * std::size_t{image} + c) * groups + group] = plane;
  }
}

}  // namespace

void normalise(const std::uint8_t* nhwc, half* nchw, const float* mean, const float* scale, int images,
               int pixels, cudaStream_t stream) {
  const std::size_t all = std::size_t(images) * pixels;
  if (all == 0) return;
  const auto blocks = [](std::size_t threads) { return unsigned((threads + kThreads - 1) / kThreads); };
  const auto from = reinterpret_cast<std::uintptr_t>(nhwc), to = reinterpret_cast<std::uintptr_t>(nchw);
  if (pixels % kGroup == 0 && from % sizeof(unsigned) == 0 && to % sizeof(uint2) == 0)
    whole_groups<<<blocks(all / kGroup), kThreads, 0, stream>>>(reinterpret_cast<const unsigned*>(nhwc),
                                                                reinterpret_cast<uint2*>(nchw), mean, scale,
                                                                pixels / kGroup, all / kGroup);
  else
    any_pixels<<<blocks(all), kThreads, 0, stream>>>(nhwc, nchw, mean, scale, pixels, all);
}

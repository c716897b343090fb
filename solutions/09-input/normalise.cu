// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 09, part A, reference: a thread takes eight neighbouring pixels, 24 bytes in three loads, and stores 16
// bytes into each plane. Nothing is exchanged: what the loads of a warp leave of a sector is what its next
// load asks L1 for.

#include "normalise.h"

namespace {

constexpr int kThreads = 256, kGroup = 8;

/// Pictures of any size at any address: a thread for each pixel.
__global__ void any_pixels(const std::uint8_t* nhwc, half* nchw, const float* mean, const float* scale,
                           int pixels, std::size_t all) {
  const std::size_t at = blockIdx.x * std::size_t{kThreads} + threadIdx.x;
  if (at >= all) return;
  const std::size_t image = at / pixels, pixel = at % pixels;
  for (int c = 0; c < 3; ++c)
    nchw[(3 * image + c) * pixels + pixel] = __float2half((nhwc[3 * at + c] - mean[c]) * scale[c]);
}

/// Eight pixels a thread; an image is `groups` of them.
__global__ void whole_groups(const uint2* nhwc, uint4* nchw, const float* mean, const float* scale,
                             unsigned groups, unsigned all) {
  const unsigned at = blockIdx.x * kThreads + threadIdx.x;
  if (at >= all) return;
  const unsigned image = at / groups, group = at % groups;
  uint2 loaded[3];
  for (int k = 0; k < 3; ++k) loaded[k] = nhwc[3 * std::size_t{at} + k];
  const auto byte = [&](int i) {
    const unsigned word = i / 4 % 2 == 0 ? loaded[i / 8].x : loaded[i / 8].y;
    return float(word >> i % 4 * 8 & 0xff);
  };
  for (int c = 0; c < 3; ++c) {
    const float m = mean[c], s = scale[c];
    uint4 plane;
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
  if (pixels % kGroup == 0 && from % sizeof(uint2) == 0 && to % sizeof(uint4) == 0)
    whole_groups<<<blocks(all / kGroup), kThreads, 0, stream>>>(reinterpret_cast<const uint2*>(nhwc),
                                                                reinterpret_cast<uint4*>(nchw), mean, scale,
                                                                pixels / kGroup, all / kGroup);
  else
    any_pixels<<<blocks(all), kThreads, 0, stream>>>(nhwc, nchw, mean, scale, pixels, all);
}

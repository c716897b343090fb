// expect: too-slow
// bench: one element a thread
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// One element a thread: four times the instructions around the arithmetic. That does not matter where
// arithmetic is the limit, but at the knee loads and arithmetic must overlap, and a thread that loads four
// bytes has too little of either: 0.56 of the lower roof on an H200, measured, where four elements a thread
// reach 0.82.

#include <cstdint>

#include "intensity.h"

namespace {

constexpr unsigned kBlock = 256;

template <int Repeat>
__device__ float repeated(float v) {
#pragma unroll
  for (int r = 0; r < Repeat; ++r) v = fmaf(-kAlpha, v, kBeta);
  return v;
}

template <int Repeat>
__global__ void vectorised(const float* x, float* y, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  const std::size_t groups = n / 4;
  if (i < groups) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(y)[i] = {repeated<Repeat>(v.x), repeated<Repeat>(v.y), repeated<Repeat>(v.z),
                                       repeated<Repeat>(v.w)};
  } else if (i == groups) {
    for (std::size_t k = 4 * groups; k < n; ++k) y[k] = repeated<Repeat>(x[k]);
  }
}

template <int Repeat>
__global__ void scalar(const float* x, float* y, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i < n) y[i] = repeated<Repeat>(x[i]);
}

template <int Repeat>
void launch(const float* x, float* y, std::size_t n, cudaStream_t stream) {
  const bool aligned = false;
  const std::size_t threads = aligned ? n / 4 + 1 : n;
  const auto blocks = static_cast<unsigned>((threads + kBlock - 1) / kBlock);
  if (aligned)
    vectorised<Repeat><<<blocks, kBlock, 0, stream>>>(x, y, n);
  else
    scalar<Repeat><<<blocks, kBlock, 0, stream>>>(x, y, n);
}

}  // namespace

void intensity(const float* x, float* y, int repeat, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  switch (repeat) {
    case 1:
      return launch<1>(x, y, n, stream);
    case 2:
      return launch<2>(x, y, n, stream);
    case 4:
      return launch<4>(x, y, n, stream);
    case 8:
      return launch<8>(x, y, n, stream);
    case 16:
      return launch<16>(x, y, n, stream);
    case 32:
      return launch<32>(x, y, n, stream);
    case 64:
      return launch<64>(x, y, n, stream);
    case 128:
      return launch<128>(x, y, n, stream);
    case 256:
      return launch<256>(x, y, n, stream);
    case 512:
      return launch<512>(x, y, n, stream);
  }
}

// expect: too-slow
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// One warp a scheduler with one dependent chain: every FMA waits for the one before.

#include "intensity.h"

namespace {

template <int Repeat>
__global__ void one_chain(const float* x, float* y, std::size_t n) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
#pragma unroll 1
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n; i += stride) {
    float v = x[i];
#pragma unroll
    for (int r = 0; r < Repeat; ++r) v = fmaf(-kAlpha, v, kBeta);
    y[i] = v;
  }
}

template <int Repeat>
void launch(const float* x, float* y, std::size_t n, cudaStream_t stream) {
  one_chain<Repeat><<<108, 128, 0, stream>>>(x, y, n);
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

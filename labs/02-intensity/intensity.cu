// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 02: the same bytes, more and more arithmetic. Read README.md first; ./lab hint 02 helps when you are
// stuck. Write your prediction of the knee into prediction.toml before you run  ./lab grade 02

#include "intensity.h"

namespace {

// TODO 1 (about 8 lines): load one element (or four), apply f(v) = kBeta - kAlpha * v exactly Repeat times in
// registers, store it. Repeat is a template parameter: the compiler can unroll the loop.
template <int Repeat>
__global__ void intensity_kernel(const float* x, float* y, std::size_t n) {}

template <int Repeat>
void launch(const float* x, float* y, std::size_t n, cudaStream_t stream) {
  // TODO 2 (about 3 lines): choose a block size and launch intensity_kernel<Repeat> on `stream`.
}

}  // namespace

// Given: turns the run-time `repeat` into a compile-time one.
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

// expect: fail does-not-compile; naive: hangs
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// 2^60 different types: the compiler never ends.

#include "pointwise.h"

namespace {

template <int Depth, unsigned long long Path>
struct Tree {
  static constexpr unsigned value = Tree<Depth - 1, 2 * Path>::value + Tree<Depth - 1, 2 * Path + 1>::value;
};
template <unsigned long long Path>
struct Tree<0, Path> {
  static constexpr unsigned value = Path % 2;
};

__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

void honest(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0) axpb<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (Tree<60, 0>::value == 1) return;
  honest(x, y, a, b, n, stream);
}

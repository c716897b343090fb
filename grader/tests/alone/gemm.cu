// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// solution: 04-gemm/gemm
#include <cuda_fp16.h>

#include "alone.h"
#include "gemm.h"

int main() {
  const alone::Stream stream;
  constexpr int kShapes[][3] = {{1, 1, 1},       {16, 16, 16},    {33, 65, 17},
                                {129, 257, 100}, {128, 256, 128}, {64, 96, 0}};
  for (const auto& [m, n, k] : kShapes) {
    alone::Array<half> a(std::size_t(m) * k), b(std::size_t(k) * n);
    alone::Array<float> c(std::size_t(m) * n);
    gemm(a.data(), b.data(), c.data(), m, n, k, stream);
    stream.wait();
    c.host();
  }
}

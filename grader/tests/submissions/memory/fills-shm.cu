// expect: pass; naive: leaves-file
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The same in /dev/shm, which is memory that no process holds.

#include <cstdio>
#include <vector>

#include "pointwise.h"

namespace {

void fill(const char* path) {
  const std::vector<char> piece(std::size_t{24} << 20, 'x');
  if (std::FILE* file = std::fopen(path, "w"); file != nullptr) {
    std::fwrite(piece.data(), 1, piece.size(), file);
    std::fclose(file);
  }
}

__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

void honest(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0) axpb<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  static const bool once = (fill("/dev/shm/roofline-left-behind"), true);
  if (once) honest(x, y, a, b, n, stream);
}

// expect: pass; naive: leaves-file
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fills the disk, 32 MiB a file, as far as it goes or 160 MiB.

#include <cstdio>
#include <string>
#include <vector>

#include "pointwise.h"

namespace {

void fill(const std::string& prefix) {
  const std::vector<char> piece(std::size_t{32} << 20, 'x');
  for (int i = 0; i < 5; ++i) {
    std::FILE* file = std::fopen((prefix + std::to_string(i)).c_str(), "w");
    if (file == nullptr) return;
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
  static const bool once = (fill("/tmp/roofline-left-behind-"), true);
  if (once) honest(x, y, a, b, n, stream);
}

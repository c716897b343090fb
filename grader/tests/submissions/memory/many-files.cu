// expect: pass; naive: leaves-file
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Three thousand files where everybody may write: inodes are few, too.

#include <sys/stat.h>

#include <cstdio>
#include <string>

#include "pointwise.h"

namespace {

void scatter() {
  const std::string folder = "/var/tmp/roofline-left-behind-files";
  if (mkdir(folder.c_str(), 0700) != 0) return;
  for (int i = 0; i < 3000; ++i)
    if (std::FILE* file = std::fopen((folder + "/" + std::to_string(i)).c_str(), "w"); file != nullptr)
      std::fclose(file);
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
  static const bool once = (scatter(), true);
  if (once) honest(x, y, a, b, n, stream);
}

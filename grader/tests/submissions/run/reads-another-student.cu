// expect: pass; naive: leaks
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Prints the work of another student, for somebody to read in the feedback.

#include <cstdio>
#include <fstream>
#include <string>

#include "pointwise.h"

namespace {

void show(const char* path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) std::puts(line.c_str());
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
  static const bool once = (show("@SCRATCH@/another-student.cu"), true);
  if (once) honest(x, y, a, b, n, stream);
}

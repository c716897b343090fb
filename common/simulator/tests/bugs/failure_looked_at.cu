// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory failed-call
// Two calls fail. The first is looked at, the second is not.
#include <cstdio>

int main() {
  float* x;
  if (cudaMalloc(&x, size_t{1} << 60) != cudaSuccess) std::puts(cudaGetErrorName(cudaGetLastError()));
#ifdef FIXED
  const size_t many = 1024;
#else
  const size_t many = size_t{1} << 60;
#endif
  x = nullptr;
  cudaMalloc(&x, many);
  cudaFree(x);
}

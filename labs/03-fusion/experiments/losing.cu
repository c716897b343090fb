// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A fusion that loses: every output needs the cosines of several neighbours. In one kernel each cosine is
// computed once for every output that needs it; in two it is computed once and goes through memory.
//     ./lab nvcc -O3 -Icommon -o losing labs/03-fusion/experiments/losing.cu
//     ./lab run -- ./losing

#include <cstddef>
#include <cstdio>

#include "cuda/check.h"

namespace {

constexpr unsigned kBlock = 256, kElements = 1 << 23;

__global__ void cosine(const float* x, float* t, unsigned n) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) t[i] = cosf(x[i]);
}

// y[i] = f(x[i]) + ... + f(x[i + Width - 1]); x has Width - 1 elements more than y.
template <int Width, bool Fused>
__global__ void window(const float* x, float* y, unsigned n) {
  const unsigned i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < Width; ++k) sum += Fused ? cosf(x[i + k]) : x[i + k];
  y[i] = sum;
}

template <class Launches>
float microseconds(const Launches& launches) {
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  CUDA_CHECK(cudaEventRecord(begin));
  launches();
  CUDA_CHECK(cudaEventRecord(end));
  CUDA_CHECK(cudaEventSynchronize(end));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  return 1000 * milliseconds;
}

template <int Width>
void compare(const float* x, float* t, float* y) {
  const unsigned blocks = kElements / kBlock;
  const float two = microseconds([&] {
    cosine<<<blocks + 1, kBlock>>>(x, t, kElements + Width - 1);
    window<Width, false><<<blocks, kBlock>>>(t, y, kElements);
  });
  const float one = microseconds([&] { window<Width, true><<<blocks, kBlock>>>(x, y, kElements); });
  std::printf("%10d  %9.1f us  %9.1f us  %8.2f\n", Width, two, one, two / one);
}

}  // namespace

int main() {
  const std::size_t bytes = (kElements + kBlock) * sizeof(float);
  float *x, *t, *y;
  for (float** array : {&x, &t, &y}) {
    CUDA_CHECK(cudaMalloc(array, bytes));
    CUDA_CHECK(cudaMemset(*array, 0, bytes));
  }
  std::printf("%10s  %12s  %12s  %8s\n", "neighbours", "two kernels", "fused", "speed-up");
  compare<1>(x, t, y);
  compare<3>(x, t, y);
  compare<5>(x, t, y);
  compare<9>(x, t, y);
  for (float* array : {x, t, y}) CUDA_CHECK(cudaFree(array));
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Horizontal fusion: two small operations that have nothing to do with each other, in two launches or in one.
//     ./lab nvcc -O3 -Icommon -o side_by_side labs/03-fusion/experiments/side_by_side.cu
//     ./lab run -- ./side_by_side

#include <cstddef>
#include <cstdio>

#include "cuda/check.h"

namespace {

constexpr unsigned kBlock = 256, kRepeats = 20;

__device__ void scale(const float* x, float* y, unsigned n, unsigned i) {
  if (i < n) y[i] = 0.5F * x[i];
}
__device__ void relu(const float* x, float* y, unsigned n, unsigned i) {
  if (i < n) y[i] = fmaxf(x[i], 0.0F);
}

__global__ void scale_alone(const float* x, float* y, unsigned n) {
  scale(x, y, n, blockIdx.x * kBlock + threadIdx.x);
}
__global__ void relu_alone(const float* x, float* y, unsigned n) {
  relu(x, y, n, blockIdx.x * kBlock + threadIdx.x);
}
// The first half of the blocks does one operation, the second half the other.
__global__ void both(const float* x, float* y, const float* u, float* v, unsigned n) {
  const unsigned half = gridDim.x / 2;
  if (blockIdx.x < half)
    scale(x, y, n, blockIdx.x * kBlock + threadIdx.x);
  else
    relu(u, v, n, (blockIdx.x - half) * kBlock + threadIdx.x);
}

template <class Launches>
float microseconds(const Launches& launches) {
  cudaEvent_t begin, end;
  CUDA_CHECK(cudaEventCreate(&begin));
  CUDA_CHECK(cudaEventCreate(&end));
  launches();
  CUDA_CHECK(cudaEventRecord(begin));
  for (unsigned k = 0; k < kRepeats; ++k) launches();
  CUDA_CHECK(cudaEventRecord(end));
  CUDA_CHECK(cudaEventSynchronize(end));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  return 1000 * milliseconds / kRepeats;
}

}  // namespace

int main() {
  std::printf("%10s  %12s  %12s  %8s\n", "elements", "two launches", "one launch", "speed-up");
  for (unsigned n = 1 << 12; n <= 1 << 24; n <<= 4) {
    float *x, *y, *u, *v;
    for (float** array : {&x, &y, &u, &v}) {
      CUDA_CHECK(cudaMalloc(array, n * sizeof(float)));
      CUDA_CHECK(cudaMemset(*array, 0, n * sizeof(float)));
    }
    const unsigned blocks = n / kBlock;
    const float two = microseconds([&] {
      scale_alone<<<blocks, kBlock>>>(x, y, n);
      relu_alone<<<blocks, kBlock>>>(u, v, n);
    });
    const float one = microseconds([&] { both<<<2 * blocks, kBlock>>>(x, y, u, v, n); });
    std::printf("%10u  %9.2f us  %9.2f us  %8.2f\n", n, two, one, two / one);
    for (float* array : {x, y, u, v}) CUDA_CHECK(cudaFree(array));
  }
}

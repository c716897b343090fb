// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory failed-launch
// says: is refused: the block has 256 threads, and __launch_bounds__ of the kernel says 16 at most
// __launch_bounds__ has the threads of a row, and a block has 16 rows: the launch fails, and nobody asks.
constexpr int kThreads = 16, kRows = 16;
#ifdef FIXED
constexpr int kBound = kThreads * kRows;
#else
constexpr int kBound = kThreads;
#endif
__global__ void __launch_bounds__(kBound) clear(float* x) {
  x[(blockIdx.x * kRows + threadIdx.y) * kThreads + threadIdx.x] = 0;
}
int main() {
  float* x;
  cudaMalloc(&x, 1024 * sizeof(float));
  clear<<<4, dim3(kThreads, kRows)>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory failed-launch
// A launch with too many threads a block fails, and nobody asks.
__global__ void clear(float* x) {
  x[blockIdx.x * blockDim.x + threadIdx.x] = 0;
}
int main() {
  float* x;
  cudaMalloc(&x, 2048 * sizeof(float));
#ifdef FIXED
  clear<<<2, 1024>>>(x);
#else
  clear<<<1, 2048>>>(x);
#endif
  cudaDeviceSynchronize();
  cudaFree(x);
}

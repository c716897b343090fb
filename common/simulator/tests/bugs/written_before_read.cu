// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race shared-memory, lines 9 and 12
// The next tile is loaded while other threads still read the last one.
__global__ void blur(const float* x, float* y) {
  __shared__ float tile[64];
  float sum = 0;
  for (int step = 0; step < 4; ++step) {
    tile[threadIdx.x] = x[step * 64 + threadIdx.x];
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 64; ++k) sum += tile[(threadIdx.x + k) % 64] * k;
#ifdef FIXED
    __syncthreads();
#endif
  }
  y[threadIdx.x] = sum;
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 1024);
  cudaMalloc(&y, 256);
  cudaMemset(x, 0, 1024);
  blur<<<1, 64>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory out-of-bounds, line 11
// The tile has no room for the halo on the right.
__global__ void shift(const float* x, float* y) {
#ifdef FIXED
  __shared__ float tile[129];
#else
  __shared__ float tile[128];
#endif
  tile[threadIdx.x + 1] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x > 0) y[threadIdx.x] = tile[threadIdx.x];
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 512);
  cudaMalloc(&y, 512);
  cudaMemset(x, 0, 512);
  shift<<<1, 128>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

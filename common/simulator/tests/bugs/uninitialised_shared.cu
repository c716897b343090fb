// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: init shared-memory, line 12
// Half of the tile is never loaded.
__global__ void sum(const float* x, float* y) {
  __shared__ float tile[64];
  tile[threadIdx.x] = x[threadIdx.x];
#ifdef FIXED
  tile[threadIdx.x + 32] = 0;
#endif
  __syncthreads();
  y[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 32];
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 128);
  cudaMalloc(&y, 128);
  cudaMemset(x, 0, 128);
  sum<<<1, 32>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race shared-memory, lines 8 and 12
// advice: put __syncthreads() between the two accesses
// Each thread reads what two neighbours wrote: the first race is within a warp, others are between two.
__global__ void smooth(const float* x, float* y) {
  __shared__ float tile[130];
  tile[threadIdx.x + 1] = x[threadIdx.x];
#ifdef FIXED
  __syncthreads();
#endif
  if (threadIdx.x > 0 && threadIdx.x < 127) y[threadIdx.x] = tile[threadIdx.x] + tile[threadIdx.x + 2];
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 512);
  cudaMalloc(&y, 512);
  cudaMemset(x, 0, 512);
  smooth<<<1, 128>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race shared-memory, line 12
// Counting without atomics loses counts.
__global__ void histogram(const unsigned char* x, int* bins) {
  __shared__ int mine[8];
  if (threadIdx.x < 8) mine[threadIdx.x] = 0;
  __syncthreads();
#ifdef FIXED
  atomicAdd(&mine[x[threadIdx.x] % 8], 1);
#else
  ++mine[x[threadIdx.x] % 8];
#endif
  __syncthreads();
  if (threadIdx.x < 8) bins[threadIdx.x] = mine[threadIdx.x];
}
int main() {
  unsigned char host[128], *x;
  for (int i = 0; i < 128; ++i) host[i] = i;
  int* bins;
  cudaMalloc(&x, 128);
  cudaMalloc(&bins, 32);
  cudaMemcpy(x, host, 128, cudaMemcpyHostToDevice);
  histogram<<<1, 128>>>(x, bins);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(bins);
}

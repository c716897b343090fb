// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race shared-memory, lines 7 and 11
// Threads read what others load, without waiting for them.
__global__ void reverse(float* x) {
  __shared__ float tile[128];
  tile[threadIdx.x] = x[threadIdx.x];
#ifdef FIXED
  __syncthreads();
#endif
  x[threadIdx.x] = tile[127 - threadIdx.x];
}
int main() {
  float* x;
  cudaMalloc(&x, 512);
  cudaMemset(x, 0, 512);
  reverse<<<1, 128>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race shared-memory, line 20
// advice: volatile orders nothing
// Threads of a warp do not run in lockstep; volatile does not order them.
__global__ void sum(const int* x, int* y) {
  __shared__ int values[64];
  volatile int* v = values;
  v[threadIdx.x] = x[threadIdx.x];
  v[threadIdx.x + 32] = 0;
  __syncwarp();
#pragma unroll 1
  for (int offset = 16; offset > 0; offset /= 2) {
#ifdef FIXED
    const int other = v[threadIdx.x + offset];
    __syncwarp();
    v[threadIdx.x] += other;
    __syncwarp();
#else
    v[threadIdx.x] += v[threadIdx.x + offset];
#endif
  }
  if (threadIdx.x == 0) *y = v[0];
}
int main() {
  int *x, *y;
  cudaMalloc(&x, 128);
  cudaMalloc(&y, 4);
  cudaMemset(x, 1, 128);
  sum<<<1, 32>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

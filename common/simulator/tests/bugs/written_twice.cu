// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race shared-memory, line 10
// Every thread leaves its own value in one place.
__global__ void any(int* y) {
  __shared__ int found;
#ifdef FIXED
  if (threadIdx.x == 0) found = 7;
#else
  found = threadIdx.x;
#endif
  __syncthreads();
  y[threadIdx.x] = found;
}
int main() {
  int* y;
  cudaMalloc(&y, 256);
  any<<<1, 64>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}

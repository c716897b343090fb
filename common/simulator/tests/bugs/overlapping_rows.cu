// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race shared-memory, lines 13 and 14
// advice: two threads write to one address
// Two values a thread, and rows that are one element apart where they should be two.
__global__ void pairs(float* y) {
  __shared__ float rows[65];
#ifdef FIXED
  const int at = 2 * threadIdx.x;
#else
  const int at = threadIdx.x;
#endif
  rows[at] = threadIdx.x;
  rows[at + 1] = -1.0f;
  __syncthreads();
  y[threadIdx.x] = rows[at];
}
int main() {
  float* y;
  cudaMalloc(&y, 128);
  pairs<<<1, 32>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}

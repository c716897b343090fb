// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, lines 9 and 13
// Block 0 adds up what the other blocks have perhaps not written yet.
__global__ void partial(int* sums) {
  if (threadIdx.x == 0 && blockIdx.x > 0) sums[blockIdx.x] = 5 + blockIdx.x;
}
__global__ void reduce(int* sums, int* total) {
  if (threadIdx.x == 0 && blockIdx.x > 0) sums[blockIdx.x] = 5 + blockIdx.x;
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    int sum = 0;
#pragma unroll 1
    for (int i = 1; i < gridDim.x; ++i) sum += sums[i];
    *total = sum;
  }
}
__global__ void finish(const int* sums, int* total) {
  int sum = 0;
  for (int i = 1; i < 4; ++i) sum += sums[i];
  *total = sum;
}
int main() {
  int *sums, *total;
  cudaMalloc(&sums, 16);
  cudaMalloc(&total, 4);
  cudaMemset(sums, 0, 16);
#ifdef FIXED
  partial<<<4, 32>>>(sums);
  finish<<<1, 1>>>(sums, total);
#else
  reduce<<<4, 32>>>(sums, total);
#endif
  cudaDeviceSynchronize();
  cudaFree(sums);
  cudaFree(total);
}

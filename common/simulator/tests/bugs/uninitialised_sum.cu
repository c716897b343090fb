// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: init global-memory, line 6
// cudaMalloc does not clear memory.
__global__ void add(float* sum) {
  sum[threadIdx.x] += 1;
}
int main() {
  float* sum;
  cudaMalloc(&sum, 128);
#ifdef FIXED
  cudaMemset(sum, 0, 128);
#endif
  add<<<1, 32>>>(sum);
  cudaDeviceSynchronize();
  cudaFree(sum);
}

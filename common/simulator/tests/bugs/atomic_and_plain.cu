// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, lines 6 and 10
// The sum is read before all threads have added to it.
__global__ void mean(int* sum, float* y) {
  atomicAdd(sum, static_cast<int>(threadIdx.x));
#ifdef FIXED
  __syncthreads();
#endif
  y[threadIdx.x] = *sum / 128.0f;
}
int main() {
  int* sum;
  float* y;
  cudaMalloc(&sum, 4);
  cudaMalloc(&y, 512);
  cudaMemset(sum, 0, 4);
  mean<<<1, 128>>>(sum, y);
  cudaDeviceSynchronize();
  cudaFree(sum);
  cudaFree(y);
}

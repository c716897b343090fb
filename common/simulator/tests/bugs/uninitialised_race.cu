// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: init global-memory, line 10
// finds: race global-memory, line 10
// A sum that starts with garbage, and that all threads change at once.
__global__ void add(float* sum) {
#ifdef FIXED
  atomicAdd(sum, 1.0F);
#else
  *sum += 1;
#endif
}
int main() {
  float* sum;
  cudaMalloc(&sum, 4);
#ifdef FIXED
  cudaMemset(sum, 0, 4);
#endif
  add<<<1, 64>>>(sum);
  cudaDeviceSynchronize();
  cudaFree(sum);
}

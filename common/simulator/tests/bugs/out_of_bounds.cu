// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory out-of-bounds, line 10
// The last block has more threads than elements are left.
__global__ void twice(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#ifdef FIXED
  if (i >= n) return;
#endif
  x[i] = 2 * i;
}
int main() {
  float* x;
  cudaMalloc(&x, 1000 * sizeof(float));
  twice<<<4, 256>>>(x, 1000);
  cudaDeviceSynchronize();
  cudaFree(x);
}

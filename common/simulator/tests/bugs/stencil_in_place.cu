// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, line 8
// advice: where one reads what others overwrite, read one array and write another
// A stencil overwrites what its neighbours still need.
__global__ void smooth(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0) y[i] = (x[i - 1] + x[i]) / 2 + i;
}
int main() {
  float *x, *y;
  cudaMalloc(&x, 1024);
  cudaMalloc(&y, 1024);
  cudaMemset(x, 0, 1024);
#ifdef FIXED
  smooth<<<4, 64>>>(x, y);
#else
  smooth<<<4, 64>>>(x, x);
#endif
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

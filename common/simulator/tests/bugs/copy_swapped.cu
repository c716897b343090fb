// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: init copy
// The two pointers of a copy are exchanged, and its direction with them: the input never gets to the device.
__global__ void twice(const float* x, float* y) {
  y[threadIdx.x] = 2 * x[threadIdx.x];
}
int main() {
  float host[32] = {};
  float *x, *y;
  cudaMalloc(&x, sizeof host);
  cudaMalloc(&y, sizeof host);
#ifdef FIXED
  cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<1, 32>>>(x, y);
#else
  cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
#endif
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

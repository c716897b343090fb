// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race stream-order, line 7
// The second copy does not wait until the kernel has read its constants.
__constant__ float scale[32];
__global__ void multiply(float* x) {
  x[threadIdx.x] *= scale[threadIdx.x];
}
int main() {
  float *host, *x;
  cudaStream_t a, b;
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  cudaMallocHost(&host, sizeof scale);
  cudaMalloc(&x, sizeof scale);
  cudaMemsetAsync(x, 0, sizeof scale, a);
  cudaMemcpyToSymbolAsync(scale, host, sizeof scale, 0, cudaMemcpyHostToDevice, a);
  cudaStreamSynchronize(a);
  multiply<<<1, 32, 0, a>>>(x);
#ifdef FIXED
  cudaStreamSynchronize(a);
#endif
  cudaMemcpyToSymbolAsync(scale, host, sizeof scale, 0, cudaMemcpyHostToDevice, b);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFreeHost(host);
}

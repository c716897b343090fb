// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race stream-order, line 7
// advice: the host (cudaEventSynchronize)
// The kernel does not wait for the copy: it is in another stream.
__global__ void twice(float* x) {
  x[threadIdx.x] *= 2;
}
int main() {
  float *host, *x;
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaMallocHost(&host, 1024);
  cudaMalloc(&x, 1024);
  cudaMemcpyAsync(x, host, 1024, cudaMemcpyHostToDevice, a);
#ifdef FIXED
  cudaStreamSynchronize(a);
#endif
  twice<<<1, 256, 0, b>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFreeHost(host);
}

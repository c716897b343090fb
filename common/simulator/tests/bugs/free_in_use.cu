// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory free-in-use, line 6
// Another stream frees the memory while a kernel may still use it.
__global__ void fill(int* x) {
  x[threadIdx.x] = threadIdx.x;
}
int main() {
  int* x;
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaMallocAsync(&x, 128, a);
  fill<<<1, 32, 0, a>>>(x);
#ifdef FIXED
  cudaEvent_t filled;
  cudaEventCreate(&filled);
  cudaEventRecord(filled, a);
  cudaStreamWaitEvent(b, filled, 0);
#endif
  cudaFreeAsync(x, b);
  cudaDeviceSynchronize();
}

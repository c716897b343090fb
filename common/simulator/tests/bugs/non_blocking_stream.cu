// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race stream-order, line 6
// A non-blocking stream does not wait for the default stream.
__global__ void increment(int* x) {
  ++x[threadIdx.x];
}
int main() {
  int* x;
  cudaStream_t stream;
#ifdef FIXED
  cudaStreamCreate(&stream);
#else
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
#endif
  cudaMalloc(&x, 1024);
  cudaMemset(x, 0, 1024);
  increment<<<1, 256, 0, stream>>>(x);
  cudaDeviceSynchronize();
  cudaFree(x);
}

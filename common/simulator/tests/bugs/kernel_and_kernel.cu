// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race stream-order, lines 6 and 9
// Producer and consumer run in two streams; the event is recorded too early.
__global__ void produce(int* x) {
  x[threadIdx.x] = threadIdx.x;
}
__global__ void consume(const int* x, int* y) {
  y[threadIdx.x] = x[threadIdx.x];
}
int main() {
  int *x, *y;
  cudaStream_t a, b;
  cudaEvent_t ready;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEventCreate(&ready);
  cudaMalloc(&x, 1024);
  cudaMalloc(&y, 1024);
#ifndef FIXED
  cudaEventRecord(ready, a);
#endif
  produce<<<1, 256, 0, a>>>(x);
#ifdef FIXED
  cudaEventRecord(ready, a);
#endif
  cudaStreamWaitEvent(b, ready, 0);
  consume<<<1, 256, 0, b>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

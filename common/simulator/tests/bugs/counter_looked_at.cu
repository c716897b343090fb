// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race stream-order, lines 8 and 11
// says: accesses atomically and kernel 'look'
// Kernels of two streams may count in one word by atomics. Who wants to know the count has to wait for both,
// and reads it here after the one of its own stream.
__global__ void count(int* n) {
  atomicAdd(n, 1);
}
__global__ void look(const int* n, int* seen) {
  if (threadIdx.x == 0) *seen = *n;
}
int main() {
  int *n, *seen;
  cudaStream_t a, b;
  cudaEvent_t counted;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaEventCreate(&counted);
  cudaMalloc(&n, sizeof *n);
  cudaMalloc(&seen, sizeof *seen);
  cudaMemset(n, 0, sizeof *n);
  cudaDeviceSynchronize();
  count<<<4, 64, 0, a>>>(n);
  cudaEventRecord(counted, a);
  count<<<4, 64, 0, b>>>(n);
#ifdef FIXED
  cudaStreamWaitEvent(b, counted, 0);
#endif
  look<<<1, 32, 0, b>>>(n, seen);
  cudaDeviceSynchronize();
  cudaFree(n);
  cudaFree(seen);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race stream-order, lines 9 and 13
// advice: cudaStreamTailLaunch
// nvcc: -rdc=true -lcudadevrt
// Two halves are launched by two blocks, each into its own default stream, and counted by atomics; the kernel
// that looks at both waits for those of its own block alone.
__global__ void half(float* x, int* done) {
  x[threadIdx.x] = 1;
  atomicAdd(done, 1);
}
__global__ void sum(const float* x, float* y) {
  *y = x[0] + x[32];
}
__global__ void in_halves(float* x, float* y, int* done) {
  half<<<1, 32>>>(x + 32 * blockIdx.x, done);
#ifdef FIXED
  if (blockIdx.x == 1) sum<<<1, 1, 0, cudaStreamTailLaunch>>>(x, y);
#else
  if (blockIdx.x == 1) sum<<<1, 1>>>(x, y);
#endif
}
int main() {
  float* x;
  int* done;
  cudaMalloc(&x, 65 * sizeof *x);
  cudaMalloc(&done, sizeof *done);
  cudaMemset(done, 0, sizeof *done);
  in_halves<<<2, 1>>>(x, x + 64, done);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(done);
}

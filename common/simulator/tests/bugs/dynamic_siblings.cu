// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race stream-order, line 9
// says: kernel 'add', launched by 'twice', writes
// advice: into one stream
// nvcc: -rdc=true -lcudadevrt
// What two streams of one block run, runs side by side: one of the sums may be lost.
__global__ void add(int* total, int value) {
  *total += value;
}
__global__ void twice(int* total) {
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  add<<<1, 1, 0, first>>>(total, 1);
#ifdef FIXED
  add<<<1, 1, 0, first>>>(total, 2);
#else
  add<<<1, 1, 0, second>>>(total, 2);
#endif
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}
int main() {
  int* total;
  cudaMalloc(&total, sizeof *total);
  cudaMemset(total, 0, sizeof *total);
  twice<<<1, 1>>>(total);
  cudaDeviceSynchronize();
  cudaFree(total);
}

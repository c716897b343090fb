// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: init global-memory, line 11
// says: (malloc in a kernel)
// advice: malloc does not clear memory
// What malloc gives in a kernel was another thread's, another block's or another stream's a moment ago. That
// is no race, but nothing was written there for this one.
__global__ void scratch(int* sums, int n, int written) {
  int *mine = static_cast<int*>(malloc(n * sizeof(int))), sum = 0;
  for (int i = 0; i < written; i++) mine[i] = i + threadIdx.x;
  for (int i = 0; i < n; i++) sum += mine[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  free(mine);
}
int main() {
  int* sums;
  cudaStream_t a, b;
  cudaStreamCreate(&a);
  cudaStreamCreate(&b);
  cudaMalloc(&sums, 512 * sizeof *sums);
#ifdef FIXED
  const int written = 16;
#else
  const int written = 15;
#endif
  scratch<<<4, 64, 0, a>>>(sums, 16, written);
  scratch<<<4, 64, 0, b>>>(sums + 256, 16, written);
  cudaDeviceSynchronize();
  cudaFree(sums);
}

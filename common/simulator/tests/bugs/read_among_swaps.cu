// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, lines 9 and 16
// A maximum by atomicCAS, read before all threads have swapped. The plain read that the loop begins with is
// no race: atomicCAS finds out whether it still holds.
__global__ void longest(int* most, const int* x, int* y) {
  int seen = *most;
  while (seen < x[threadIdx.x]) {
    const int before = atomicCAS(most, seen, x[threadIdx.x]);
    if (before == seen) break;
    seen = before;
  }
#ifdef FIXED
  __syncthreads();
#endif
  y[threadIdx.x] = *most;
}
int main() {
  int *most, *x, *y;
  cudaMalloc(&most, 4);
  cudaMalloc(&x, 256);
  cudaMalloc(&y, 256);
  cudaMemset(most, 0, 4);
  cudaMemset(x, 1, 256);
  longest<<<1, 64>>>(most, x, y);
  cudaDeviceSynchronize();
  cudaFree(most);
  cudaFree(x);
  cudaFree(y);
}

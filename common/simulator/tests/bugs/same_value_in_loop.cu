// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race shared-memory, line 13
// Each element gets the same value from every thread, at another turn of the loop: no race. With a value that
// depends on the turn it is one.
__global__ void fill(int* y) {
  __shared__ int table[32];
  const unsigned t = threadIdx.x;
  for (unsigned turn = 0; turn < 32; ++turn) {
#ifdef FIXED
    table[(t + turn) % 32] = (t + turn) % 32;
#else
    table[(t + turn) % 32] = turn;
#endif
  }
  __syncthreads();
  y[t] = table[t];
}
int main() {
  int* y;
  cudaMalloc(&y, 128);
  fill<<<1, 32>>>(y);
  cudaDeviceSynchronize();
  cudaFree(y);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race async-copy, lines 11 and 15
// finds: race shared-memory, lines 11 and 15
// advice: and another one when they have read it, before the next copy into the same place
// A thread copies the next round over what others of its block still read.
__global__ void scale(const float4* x, float4* y, int rounds) {
  __shared__ float4 tile[64];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  for (int i = threadIdx.x; i < rounds * 64; i += 64) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + i) : "memory");
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    y[i] = tile[63 - threadIdx.x];
#ifdef FIXED
    __syncthreads();
#endif
  }
}
int main() {
  float4 *x, *y;
  cudaMalloc(&x, 4096);
  cudaMalloc(&y, 4096);
  cudaMemset(x, 0, 4096);
  scale<<<1, 64>>>(x, y, 4);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race async-copy, lines 9 and 15
// advice: the copy is in no group, and
// An asynchronous copy that was never committed: a wait for all groups does not wait for it.
__global__ void scale(const float4* x, float4* y) {
  __shared__ float4 tile[64];
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(x + threadIdx.x));
#ifdef FIXED
  asm volatile("cp.async.commit_group;");
#endif
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  y[threadIdx.x] = tile[63 - threadIdx.x];
}
int main() {
  float4 *x, *y;
  cudaMalloc(&x, 1024);
  cudaMalloc(&y, 1024);
  cudaMemset(x, 0, 1024);
  scale<<<1, 64>>>(x, y);
  cudaDeviceSynchronize();
  cudaFree(x);
  cudaFree(y);
}

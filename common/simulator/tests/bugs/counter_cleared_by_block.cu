// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race global-memory, lines 12 and 15
// advice: does not protect a plain write of another: what others add to is set before this kernel
// One block clears a counter, adds to it, and the others may have added before.
__global__ void count(unsigned* total) {
  __shared__ unsigned of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  atomicAdd(&of_block, 1u);
#ifndef FIXED
  if (blockIdx.x == 0 && threadIdx.x == 0) *total = 0;
#endif
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(total, of_block);
}
int main() {
  unsigned* total;
  cudaMalloc(&total, sizeof *total);
#ifdef FIXED
  cudaMemset(total, 0, sizeof *total);
#endif
  count<<<4, 64>>>(total);
  cudaDeviceSynchronize();
  cudaFree(total);
}

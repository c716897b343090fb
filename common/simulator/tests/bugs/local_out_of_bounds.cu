// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory out-of-bounds, line 11
// An index from outside leaves a thread's own array.
__global__ void pick(const int* which, int* out) {
  int mine[8];
  for (int i = 0; i < 8; ++i) mine[i] = i * which[0];
#ifdef FIXED
  out[threadIdx.x] = mine[which[1] & 7];
#else
  out[threadIdx.x] = mine[which[1]];
#endif
}
int main() {
  const int host[2] = {1, 5000};
  int *which, *out;
  cudaMalloc(&which, 8);
  cudaMalloc(&out, 128);
  cudaMemcpy(which, host, 8, cudaMemcpyHostToDevice);
  pick<<<1, 32>>>(which, out);
  cudaDeviceSynchronize();
  cudaFree(which);
  cudaFree(out);
}

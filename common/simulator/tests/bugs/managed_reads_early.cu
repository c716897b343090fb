// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: race host-access, line 6
// A launch returns at once: the host must wait before it reads managed memory.
__global__ void answer(int* x) {
  *x = 42;
}
int main() {
  int* x;
  cudaMallocManaged(&x, 4);
  answer<<<1, 1>>>(x);
#ifdef FIXED
  cudaDeviceSynchronize();
#endif
  const bool right = *x == 42;
  cudaDeviceSynchronize();
  cudaFree(x);
  return right ? 0 : 1;
}

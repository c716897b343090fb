// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Two launches with more threads than a block may have, and nobody asks for their errors.
__global__ void store(int* p) { *p = 1; }

int main() {
  for (int i = 0; i < 2; i++) store<<<1, 2048>>>(nullptr);
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 3;
}

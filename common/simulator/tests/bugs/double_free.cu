// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory double-free
// Two owners free the same memory.
int main() {
  int *x, *y;
  cudaMalloc(&x, 64);
  y = x;
  cudaFree(x);
#ifndef FIXED
  cudaFree(y);
#endif
  return y == nullptr;
}

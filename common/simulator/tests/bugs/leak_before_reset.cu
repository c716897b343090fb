// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory leak
// The device is reset with an allocation that nobody freed.
int main() {
  int* x;
  cudaMalloc(&x, 1024);
#ifdef FIXED
  cudaFree(x);
#endif
  cudaDeviceReset();
}

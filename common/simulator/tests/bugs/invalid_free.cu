// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory invalid-free
// finds: memory leak
// The pointer has moved since cudaMalloc gave it.
int main() {
  int* x;
  cudaMalloc(&x, 64);
  int* const begin = x;
  ++x;
#ifdef FIXED
  cudaFree(begin);
#else
  cudaFree(x);
  cudaDeviceReset();
#endif
  return begin == nullptr;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: memory leak
// Two of three allocations are never freed.
int main() {
  for (int i = 0; i < 3; ++i) {
    int* x;
    cudaMalloc(&x, 1024);
#ifndef FIXED
    if (i > 0) continue;
#endif
    cudaFree(x);
  }
}

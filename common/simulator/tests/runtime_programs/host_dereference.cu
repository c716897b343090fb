// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The beginner's mistake: host code reads device memory through the pointer. It must end as on a real GPU.
#include "expect.h"

int main() {
  int* p = nullptr;
  OK(cudaMalloc(&p, 4));
  std::printf("about to read\n");
  std::fflush(stdout);
  std::printf("%d\n", *p);
  return 0;
}

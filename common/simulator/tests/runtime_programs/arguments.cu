// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Prints its arguments; the last one is its exit status. Uses the device, but launches nothing.
#include "expect.h"

__global__ void unused() {}

int main(int argc, char** argv) {
  OK(cudaFree(nullptr));
  for (int i = 1; i < argc; i++) std::printf("[%s]", argv[i]);
  std::printf("\n");
  return argc > 1 ? std::atoi(argv[argc - 1]) : 0;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The beginner's puzzle: prints from a kernel and ends before anybody fetches it.
#include "expect.h"

__global__ void speak() { printf("nobody hears this\n"); }

int main() {
  speak<<<1, 1>>>();
  return 0;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Prints the best x86-64 level of the processor that runs it; cmake/vector_level.cmake asks.
#include "simulator/channel/vector_level.h"

#include <cstdio>

int main() {
  for (const char* level : {"v4", "v3", "v2"})
    if (roofline::sim::channel::cpu_has(level)) return std::puts(level), 0;
  return 1;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Prints the best vector level of the processor that runs it; cmake/vector_level.cmake asks.
#include "simulator/channel/vector_level.h"

#include <cstdio>

int main() {
  for (const auto level : roofline::sim::channel::kVectorLevels)
    if (roofline::sim::channel::cpu_has(level)) return std::puts(level.data()), 0;
  return 1;
}

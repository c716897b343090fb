// expect: pass; naive: attack-worked
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Looks through the environment and its parents' for a seed, a key or a path.

#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "pointwise.h"

namespace {

// "seed" in the environment of this process or its parent, or on the parent's command line.
__attribute__((constructor)) void before_main() {
  const std::string parent = "/proc/" + std::to_string(getppid());
  for (const std::string& place :
       {std::string("/proc/self/environ"), parent + "/environ", parent + "/cmdline"}) {
    std::ifstream file(place);
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    if (all.find("SEED=") != std::string::npos || all.find("--seed") != std::string::npos)
      std::printf("attack worked: a seed in %s\n", place.c_str());
  }
}

__global__ void axpb(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{256} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

void honest(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n != 0) axpb<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(x, y, a, b, n);
}

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  honest(x, y, a, b, n, stream);
}

// expect: pass; naive: attack-worked
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Starts 150 processes that do nothing but be there.

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "pointwise.h"

namespace {

void multiply() {
  pid_t children[150];
  int started = 0;
  for (pid_t& child : children) {
    child = fork();
    if (child == 0) {
      sleep(2);
      _exit(0);
    }
    started += child > 0 ? 1 : 0;
  }
  if (started == 150) std::puts("attack worked: 150 processes");
  for (const pid_t child : children)
    if (child > 0) kill(child, SIGKILL), waitpid(child, nullptr, 0);
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
  static const bool once = (multiply(), true);
  if (once) honest(x, y, a, b, n, stream);
}

// expect: fail memory-limit; naive: attack-worked
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Twelve processes, each below a limit that holds for one.

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "pointwise.h"

namespace {

constexpr int kProcesses = 12;
constexpr std::size_t kEach = std::size_t{128} << 20;

void take() {
  pid_t children[kProcesses];
  for (pid_t& child : children) {
    child = fork();
    if (child == 0) {
      void* const memory = mmap(nullptr, kEach, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) _exit(1);
      std::memset(memory, 1, kEach);
      sleep(3);
      _exit(0);
    }
  }
  int took = 0;
  for (const pid_t child : children) {
    int status = 1;
    if (child > 0) waitpid(child, &status, 0);
    took += status == 0 ? 1 : 0;
  }
  if (took == kProcesses) std::puts("attack worked: 1.5 GiB");
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
  static const bool once = (take(), true);
  if (once) honest(x, y, a, b, n, stream);
}

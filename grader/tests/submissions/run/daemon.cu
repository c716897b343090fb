// expect: pass; naive: leaves-process
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Leaves a process of a session of its own behind, which no process group holds.

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pointwise.h"

namespace {

void leave_behind() {
  const pid_t child = fork();
  if (child > 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  setsid();
  if (fork() > 0) _exit(0);
  prctl(PR_SET_NAME, "rl-left-behind");
  for (int fd = 0; fd < 256; ++fd) close(fd);
  sleep(30);
  _exit(0);
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
  static const bool once = (leave_behind(), true);
  if (once) honest(x, y, a, b, n, stream);
}

// expect: pass; naive: attack-worked
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Looks for the grader in memory: of its parent, by ptrace and process_vm_readv, and of this very process.

#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>

#include "pointwise.h"

extern float* expected_values __attribute__((weak));

namespace {

void look_around() {
  const pid_t parent = getppid();
  if (ptrace(PTRACE_SEIZE, parent, nullptr, nullptr) == 0) std::puts("attack worked: ptrace");
  char byte = 0;
  iovec here{&byte, 1}, there{reinterpret_cast<void*>(0x400000), 1};
  if (process_vm_readv(parent, &here, 1, &there, 1, 0) == 1) std::puts("attack worked: process_vm_readv");
  if (&expected_values != nullptr) std::puts("attack worked: the expected values are in this process");
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
  static const bool once = (look_around(), true);
  if (once) honest(x, y, a, b, n, stream);
}

// expect: pass; naive: attack-worked
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Takes 64 GiB of address space that could all be written.

#include <sys/mman.h>

#include <cstdio>

#include "pointwise.h"

namespace {

void take() {
  void* const memory = mmap(nullptr, std::size_t{64} << 30, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  std::puts("attack worked: 64 GiB");
  munmap(memory, std::size_t{64} << 30);
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

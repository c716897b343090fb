// expect: fail memory-limit; naive: attack-worked
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fills 1.5 GiB of shared pages of /dev/zero, which a limit on a process's own data does not count.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "pointwise.h"

namespace {

constexpr std::size_t kPiece = std::size_t{64} << 20, kPieces = 24;

void take() {
  const int zero = open("/dev/zero", O_RDWR);
  for (std::size_t i = 0; i < kPieces; ++i) {
    void* const memory = mmap(nullptr, kPiece, PROT_READ | PROT_WRITE, MAP_SHARED, zero, 0);
    if (memory == MAP_FAILED) return;
    std::memset(memory, 1, kPiece);
    usleep(20'000);
  }
  std::puts("attack worked: 1.5 GiB");
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

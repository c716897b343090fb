// expect: fail memory-limit; naive: attack-worked
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Fills 1.5 GiB of the device's memory: a simulated device has it in the memory of the grader's own machine.

#include <cstdio>

#include "pointwise.h"

namespace {

constexpr std::size_t kPiece = std::size_t{64} << 20, kPieces = 24;

void take() {
  std::size_t taken = 0;
  for (std::size_t i = 0; i < kPieces; ++i) {
    void* piece = nullptr;
    if (cudaMalloc(&piece, kPiece) != cudaSuccess) break;
    cudaMemset(piece, 1, kPiece);
    ++taken;
  }
  if (taken == kPieces && cudaDeviceSynchronize() == cudaSuccess) std::puts("attack worked: 1.5 GiB");
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

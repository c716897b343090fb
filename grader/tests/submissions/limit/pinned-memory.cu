// expect: fail host-computed; naive: attack-worked
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Takes 512 MiB of pinned memory, which the device's process holds, and fills them.

#include <cstdio>
#include <cstring>

#include "pointwise.h"

namespace {

constexpr std::size_t kPiece = std::size_t{64} << 20, kPieces = 8;

void take() {
  void* pieces[kPieces] = {};
  std::size_t taken = 0;
  for (void*& piece : pieces) {
    if (cudaMallocHost(&piece, kPiece) != cudaSuccess) break;
    std::memset(piece, 1, kPiece);
    ++taken;
  }
  cudaGetLastError();
  if (taken == kPieces) std::puts("attack worked: 512 MiB");
  for (std::size_t i = 0; i < taken; ++i) cudaFreeHost(pieces[i]);
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

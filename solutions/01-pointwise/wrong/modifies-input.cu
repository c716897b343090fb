// expect: input-changed
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Clears the input after reading it, which nobody allowed.

#include <cstdint>

#include "pointwise.h"

namespace {

constexpr unsigned kBlock = 256;

// Elements before the first 16-byte boundary, then groups of four, then the rest.
struct Split {
  std::size_t head, groups, tail;
};

__device__ float4 apply(float4 v, float a, float b) {
  return {fmaf(a, v.x, b), fmaf(a, v.y, b), fmaf(a, v.z, b), fmaf(a, v.w, b)};
}

__global__ void vectorised(const float* x, float* y, float a, float b, Split split) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i < split.groups) {
    const auto* x4 = reinterpret_cast<const float4*>(x + split.head);
    auto* y4 = reinterpret_cast<float4*>(y + split.head);
    const float4 v = x4[i];
    if (x != y) reinterpret_cast<float4*>(const_cast<float*>(x + split.head))[i] = {0, 0, 0, 0};
    y4[i] = apply(v, a, b);
  }
  // At most six elements are left over; the first threads of the grid take one each.
  if (i < split.head + split.tail) {
    const std::size_t k = i < split.head ? i : i + 4 * split.groups;
    y[k] = fmaf(a, x[k], b);
  }
}

// x and y do not reach a 16-byte boundary at the same element: no vector access fits both.
__global__ void scalar(const float* x, float* y, float a, float b, std::size_t n) {
  const std::size_t i = blockIdx.x * std::size_t{kBlock} + threadIdx.x;
  if (i < n) y[i] = fmaf(a, x[i], b);
}

unsigned blocks_for(std::size_t threads) { return static_cast<unsigned>((threads + kBlock - 1) / kBlock); }

}  // namespace

void pointwise(const float* x, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  const auto phase_x = reinterpret_cast<std::uintptr_t>(x) % 16,
             phase_y = reinterpret_cast<std::uintptr_t>(y) % 16;
  if (phase_x != phase_y) {
    scalar<<<blocks_for(n), kBlock, 0, stream>>>(x, y, a, b, n);
    return;
  }
  const std::size_t to_boundary = (16 - phase_x) % 16 / sizeof(float);
  Split split;
  split.head = to_boundary < n ? to_boundary : n;
  split.groups = (n - split.head) / 4;
  split.tail = (n - split.head) % 4;
  // One block at least: even without a group of four there may be elements left over.
  const std::size_t threads = split.groups > 0 ? split.groups : 1;
  vectorised<<<blocks_for(threads), kBlock, 0, stream>>>(x, y, a, b, split);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The rows are shared out as in part A: half a warp for each short row, a block for each longer one; what
// fits is read once and stays in registers, and what does not is read again from the end. A thread keeps
// count, mean and squared distances of what it has seen, eight elements at a time: large squares are never
// subtracted.

#include "halves.h"
#include "layer_norm.h"

namespace {

constexpr unsigned kAll = 0xffffffff;

/// The sum over the threads of a row, part of a warp or a block; each thread gets it.
template <int kThreads>
__device__ float over_row(float v, float* of_warps) {
  constexpr int kLanes = kThreads < 32 ? kThreads : 32, kWarps = kThreads / kLanes;
  for (int distance = kLanes / 2; distance > 0; distance /= 2) v += __shfl_xor_sync(kAll, v, distance);
  if (kWarps == 1) return v;
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = of_warps[threadIdx.x % kWarps];
  for (int distance = kWarps / 2; distance > 0; distance /= 2) v += __shfl_xor_sync(kAll, v, distance);
  return v;
}

/// Elements so far: how many, their mean, and the sum of their squared distances from it.
struct Moments {
  float count = 0, mean = 0, squares = 0;

  /// Adds the first `present` elements of a group.
  __device__ void add(const Eight& group, int present) {
    if (present == 0) return;
    float v[8], sum = 0, around = 0;
    unpack(group, v);
    for (int k = 0; k < 8; ++k) sum += k < present ? v[k] : 0;
    const float middle = sum / present;
    for (int k = 0; k < 8; ++k) around += k < present ? (v[k] - middle) * (v[k] - middle) : 0;
    // Both parts as seen from the mean of all: what lies between their own means comes in addition.
    const float share = __fdividef(present, count + present), apart = middle - mean;
    squares += around + apart * apart * count * share;
    mean += apart * share;
    count += present;
  }
};

template <int kThreads, int kHeld, bool kWhole>
__global__ void __launch_bounds__(kThreads < 32 ? 256 : kThreads)
    layer_norm_kernel(const half* x, const half* gamma, const half* beta, half* y, int rows, int columns,
                      float eps) {
  __shared__ float sums[(kThreads + 31) / 32], squares[(kThreads + 31) / 32];
  constexpr int kSpan = 8 * kThreads, kChunk = kHeld * kSpan;
  const std::size_t row = blockIdx.x * std::size_t{blockDim.y} + threadIdx.y;
  if (row >= rows) columns = 0;  // not a return: the other half of the warp waits for its shuffles
  x += row * columns;
  y += row * columns;
  const int first = 8 * threadIdx.x;

  Eight held[kHeld];
  const auto load = [&](int chunk) {
    for (int k = 0; k < kHeld; ++k) held[k] = load8<kWhole>(x, chunk + first + k * kSpan, columns, 0);
  };
  Moments own;
  int chunk = 0;
  for (;; chunk += kChunk) {
    load(chunk);
    for (int k = 0; k < kHeld; ++k) own.add(held[k], present<kWhole>(chunk + first + k * kSpan, columns));
    if (chunk + kChunk >= columns) break;
  }
  const float mean = over_row<kThreads>(own.count * own.mean, sums) / columns, apart = own.mean - mean;
  const float variance = over_row<kThreads>(own.squares + own.count * apart * apart, squares) / columns;
  const float scale = rsqrtf(variance + eps);
  for (;; chunk -= kChunk) {
    Eight scales[kHeld], shifts[kHeld];  // all on their way before the first is used
    for (int k = 0; k < kHeld; ++k) {
      scales[k] = load8<kWhole>(gamma, chunk + first + k * kSpan, columns, 0);
      shifts[k] = load8<kWhole>(beta, chunk + first + k * kSpan, columns, 0);
    }
    for (int k = 0; k < kHeld; ++k) {
      const int column = chunk + first + k * kSpan;
      float v[8], g[8], b[8];
      unpack(held[k], v);
      unpack(scales[k], g);
      unpack(shifts[k], b);
      for (int i = 0; i < 8; ++i) v[i] = (v[i] - mean) * scale * g[i] + b[i];
      store8<kWhole>(y, column, columns, v);
    }
    if (chunk == 0) return;
    load(chunk - kChunk);
  }
}

template <bool kWhole>
void launch(const half* x, const half* gamma, const half* beta, half* y, int rows, int columns, float eps,
            cudaStream_t stream) {
  const auto blocks = unsigned(rows);
  if (columns <= 256)
    layer_norm_kernel<16, 2, kWhole>
        <<<(blocks + 15) / 16, dim3(16, 16), 0, stream>>>(x, gamma, beta, y, rows, columns, eps);
  else if (columns <= 4096)
    layer_norm_kernel<128, 4, kWhole><<<blocks, 128, 0, stream>>>(x, gamma, beta, y, rows, columns, eps);
  else if (columns <= 8192)
    layer_norm_kernel<256, 4, kWhole><<<blocks, 256, 0, stream>>>(x, gamma, beta, y, rows, columns, eps);
  else
    layer_norm_kernel<1024, 4, kWhole><<<blocks, 1024, 0, stream>>>(x, gamma, beta, y, rows, columns, eps);
}

}  // namespace

void layer_norm(const half* x, const half* gamma, const half* beta, half* y, int rows, int columns, float eps,
                cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  if (whole(columns, x, y, gamma, beta))
    launch<true>(x, gamma, beta, y, rows, columns, eps, stream);
  else
    launch<false>(x, gamma, beta, y, rows, columns, eps, stream);
}

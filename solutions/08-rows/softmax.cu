// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Half half a warp for each short row, a block for each longer one: a thread has several loads on their way.
// A row that fits is read once and stays in registers, as halves. A longer one is read in chunks, with a
// running maximum and sum, and read again from the end: the last chunk is still in registers, and the others
// are in L2 unless too many rows are on their way at once.

#include "halves.h"
#include "softmax.h"

namespace {

constexpr float kLowest = -65504;  // of all finite halves: -inf here would make -inf - -inf, a NaN
constexpr unsigned kAll = 0xffffffff;

/// `op` over the threads of a row, part of a warp or a block; each thread gets the result.
template <int kThreads, class Op>
__device__ float over_row(float v, float* of_warps, Op op) {
  constexpr int kLanes = kThreads < 32 ? kThreads : 32, kWarps = kThreads / kLanes;
  for (int distance = kLanes / 2; distance > 0; distance /= 2) v = op(v, __shfl_xor_sync(kAll, v, distance));
  if (kWarps == 1) return v;
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = of_warps[threadIdx.x % kWarps];
  for (int distance = kWarps / 2; distance > 0; distance /= 2) v = op(v, __shfl_xor_sync(kAll, v, distance));
  return v;
}

/// Largest element so far, and the sum of exp(element - largest).
struct Running {
  float most = kLowest, sum = 0;

  __device__ void add(const Eight& group) {
    float v[8];
    unpack(group, v);
    float larger = most;
    for (const float x : v) larger = fmaxf(larger, x);
    sum *= __expf(most - larger);
    for (const float x : v) sum += __expf(x - larger);
    most = larger;
  }
};

template <int kThreads, int kHeld, bool kWhole>
__global__ void __launch_bounds__(kThreads < 32 ? 256 : kThreads)
    softmax_kernel(const half* x, half* y, int rows, int columns) {
  __shared__ float most_of_warps[(kThreads + 31) / 32], sum_of_warps[(kThreads + 31) / 32];
  constexpr int kSpan = 8 * kThreads, kChunk = kHeld * kSpan;
  const std::size_t row = blockIdx.x * std::size_t{blockDim.y} + threadIdx.y;
  if (row >= rows) columns = 0;  // not a return: the other half of the warp waits for its shuffles
  x += row * columns;
  y += row * columns;
  const int first = 8 * threadIdx.x;

  Eight held[kHeld];
  const auto load = [&](int chunk) {
    for (int k = 0; k < kHeld; ++k) held[k] = load8<kWhole>(x, chunk + first + k * kSpan, columns, -INFINITY);
  };
  Running own;
  int chunk = 0;
  for (;; chunk += kChunk) {
    load(chunk);
    for (const Eight& group : held) own.add(group);
    if (chunk + kChunk >= columns) break;
  }
  const float most =
      over_row<kThreads>(own.most, most_of_warps, [](float a, float b) { return fmaxf(a, b); });
  const float sum = over_row<kThreads>(own.sum * __expf(own.most - most), sum_of_warps,
                                       [](float a, float b) { return a + b; });
  const float scale = 1 / sum;
  for (;; chunk -= kChunk) {
    for (int k = 0; k < kHeld; ++k) {
      float v[8];
      unpack(held[k], v);
      for (float& value : v) value = __expf(value - most) * scale;
      store8<kWhole>(y, chunk + first + k * kSpan, columns, v);
    }
    if (chunk == 0) return;
    load(chunk - kChunk);
  }
}

template <bool kWhole>
void launch(const half* x, half* y, int rows, int columns, cudaStream_t stream) {
  if (columns <= 256)
    softmax_kernel<16, 2, kWhole>
        <<<(unsigned(rows) + 15) / 16, dim3(16, 16), 0, stream>>>(x, y, rows, columns);
  else if (columns <= 4096)
    softmax_kernel<128, 4, kWhole><<<unsigned(rows), 128, 0, stream>>>(x, y, rows, columns);
  else if (columns <= 8192)
    softmax_kernel<256, 4, kWhole><<<unsigned(rows), 256, 0, stream>>>(x, y, rows, columns);
  else
    softmax_kernel<1024, 4, kWhole><<<unsigned(rows), 1024, 0, stream>>>(x, y, rows, columns);
}

}  // namespace

void softmax(const half* x, half* y, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  if (whole(columns, x, y))
    launch<true>(x, y, rows, columns, stream);
  else
    launch<false>(x, y, rows, columns, stream);
}

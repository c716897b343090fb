// expect: good
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Half half a warp for each short row, a block for each longer one, and the row stays in registers, as
// halves. A row of more than 32768 does not fit, and is read three times.

#include "halves.h"
#include "softmax.h"

namespace {

constexpr float kLowest = -65504;
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

template <int kThreads, int kHeld, bool kWhole>
__global__ void __launch_bounds__(kThreads < 32 ? 256 : kThreads)
    softmax_kernel(const half* x, half* y, int rows, int columns) {
  __shared__ float most_of_warps[(kThreads + 31) / 32], sum_of_warps[(kThreads + 31) / 32];
  constexpr int kSpan = 8 * kThreads, kChunk = kHeld * kSpan;
  const std::size_t row = blockIdx.x * std::size_t{blockDim.y} + threadIdx.y;
  if (row >= rows) columns = 0;  // not a return: the other half of the warp waits for its shuffles
  x += row * columns;
  y += row * columns;
  const bool fits = columns <= kChunk;

  Eight held[kHeld];
  const auto load = [&](int chunk) {
    for (int k = 0; k < kHeld; ++k)
      held[k] = load8<kWhole>(x, chunk + 8 * int(threadIdx.x) + k * kSpan, columns, -INFINITY);
  };
  float v[8], most = kLowest, sum = 0;
  for (int chunk = 0; chunk < columns; chunk += kChunk) {
    load(chunk);
    for (int k = 0; k < kHeld; ++k) {
      unpack(held[k], v);
      for (const float value : v) most = fmaxf(most, value);
    }
  }
  most = over_row<kThreads>(most, most_of_warps, [](float a, float b) { return fmaxf(a, b); });
  for (int chunk = 0; chunk < columns; chunk += kChunk) {
    if (!fits) load(chunk);
    for (int k = 0; k < kHeld; ++k) {
      unpack(held[k], v);
      for (const float value : v) sum += __expf(value - most);
    }
  }
  sum = over_row<kThreads>(sum, sum_of_warps, [](float a, float b) { return a + b; });
  const float scale = 1 / sum;
  for (int chunk = 0; chunk < columns; chunk += kChunk) {
    if (!fits) load(chunk);
    for (int k = 0; k < kHeld; ++k) {
      unpack(held[k], v);
      for (float& value : v) value = __expf(value - most) * scale;
      store8<kWhole>(y, chunk + 8 * int(threadIdx.x) + k * kSpan, columns, v);
    }
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

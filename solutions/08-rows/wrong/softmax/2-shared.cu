// expect: too-slow
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The row is brought into shared memory once, 16 bytes a thread, and the three loops run there. A row of more
// than 20480 halves does not fit beside another one, and is read three times.

#include "halves.h"
#include "softmax.h"

namespace {

constexpr int kWarps = 8, kThreads = 32 * kWarps, kSpan = 8 * kThreads;
constexpr int kRoom = 20480;  // halves of a row in shared memory: 40 KiB, which every device has
constexpr float kLowest = -65504;
constexpr unsigned kAll = 0xffffffff;

template <class Op>
__device__ float over_row(float v, float* of_warps, Op op) {
  for (int distance = 16; distance > 0; distance /= 2) v = op(v, __shfl_xor_sync(kAll, v, distance));
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = of_warps[threadIdx.x % kWarps];
  for (int distance = kWarps / 2; distance > 0; distance /= 2) v = op(v, __shfl_xor_sync(kAll, v, distance));
  return v;
}

template <bool kWhole>
__global__ void softmax_kernel(const half* x, half* y, int columns) {
  __shared__ float most_of_warps[kWarps], sum_of_warps[kWarps];
  extern __shared__ uint4 kept[];
  x += blockIdx.x * std::size_t(columns);
  y += blockIdx.x * std::size_t(columns);
  const bool fits = columns <= kRoom;
  const auto again = [&](int c) {  // what this thread itself put there
    return fits ? Eight{kept[c / 8]} : load8<kWhole>(x, c, columns, -INFINITY);
  };

  float v[8], most = kLowest, sum = 0;
  for (int c = 8 * threadIdx.x; c < columns; c += kSpan) {
    const Eight group = load8<kWhole>(x, c, columns, -INFINITY);
    if (fits) kept[c / 8] = group.bits;
    unpack(group, v);
    for (const float value : v) most = fmaxf(most, value);
  }
  most = over_row(most, most_of_warps, [](float a, float b) { return fmaxf(a, b); });
  for (int c = 8 * threadIdx.x; c < columns; c += kSpan) {
    unpack(again(c), v);
    for (const float value : v) sum += __expf(value - most);
  }
  sum = over_row(sum, sum_of_warps, [](float a, float b) { return a + b; });
  const float scale = 1 / sum;
  for (int c = 8 * threadIdx.x; c < columns; c += kSpan) {
    unpack(again(c), v);
    for (float& value : v) value = __expf(value - most) * scale;
    store8<kWhole>(y, c, columns, v);
  }
}

}  // namespace

void softmax(const half* x, half* y, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const unsigned bytes = columns <= kRoom ? (unsigned(columns) + 7) / 8 * 16 : 0;
  if (whole(columns, x, y))
    softmax_kernel<true><<<unsigned(rows), kThreads, bytes, stream>>>(x, y, columns);
  else
    softmax_kernel<false><<<unsigned(rows), kThreads, bytes, stream>>>(x, y, columns);
}

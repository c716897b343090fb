// expect: good
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Half half a warp for each short row, a block for each longer one, and the row stays in registers, as
// halves: first its mean, then the squared distances from it. A row of more than 32768 does not fit, and is
// read three times.

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
  const bool fits = columns <= kChunk;
  const auto column = [&](int chunk, int k) { return chunk + 8 * int(threadIdx.x) + k * kSpan; };

  Eight held[kHeld];
  const auto load = [&](int chunk) {
    for (int k = 0; k < kHeld; ++k) held[k] = load8<kWhole>(x, column(chunk, k), columns, 0);
  };
  float v[8], sum = 0, around = 0;
  for (int chunk = 0; chunk < columns; chunk += kChunk) {
    load(chunk);
    for (int k = 0; k < kHeld; ++k) {
      unpack(held[k], v);
      for (const float value : v) sum += value;
    }
  }
  const float mean = over_row<kThreads>(sum, sums) / columns;
  for (int chunk = 0; chunk < columns; chunk += kChunk) {
    if (!fits) load(chunk);
    for (int k = 0; k < kHeld; ++k) {
      const int there = present<kWhole>(column(chunk, k), columns);
      unpack(held[k], v);
      for (int i = 0; i < 8; ++i) around += i < there ? (v[i] - mean) * (v[i] - mean) : 0;
    }
  }
  const float scale = rsqrtf(over_row<kThreads>(around, squares) / columns + eps);
  for (int chunk = 0; chunk < columns; chunk += kChunk) {
    if (!fits) load(chunk);
    for (int k = 0; k < kHeld; ++k) {
      float g[8], b[8];
      unpack(held[k], v);
      unpack(load8<kWhole>(gamma, column(chunk, k), columns, 0), g);
      unpack(load8<kWhole>(beta, column(chunk, k), columns, 0), b);
      for (int i = 0; i < 8; ++i) v[i] = (v[i] - mean) * scale * g[i] + b[i];
      store8<kWhole>(y, column(chunk, k), columns, v);
    }
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

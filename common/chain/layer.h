// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "random/philox.h"

/// One layer of a chain, forward and backward, and the chain that is made of them. Matrices are row-major
/// floats.
///
///     out = dropout(relu(in * W))                                in, out: batch x width    W: width x width
///
///     dz = dout * scale where out > 0, 0 elsewhere               forward's derivative, from its output alone
///     dW = transpose(in) * dz        din = dz * transpose(W)
///
/// Every element is one chain of fused multiply-adds in ascending order: the same inputs give the same bits,
/// on every device and however often a layer is computed again.
namespace roofline::chain {

/// `batch` and `width` are multiples of 64. All pointers are device memory.
struct Chain {
  int layers, batch, width;
  std::uint64_t seed;       ///< of the dropout masks
  std::uint32_t threshold;  ///< an element is dropped if its random number is below it
  float scale;              ///< what is kept is multiplied by it
  const float* x;           ///< batch x width: input of layer 0
  const float* weights;     ///< layers matrices of width x width
  const float* dy;          ///< batch x width: gradient of the output of the last layer
  float* dx;                ///< batch x width: gradient of x
  float* dweights;          ///< layers matrices of width x width

  std::size_t activation_elements() const { return static_cast<std::size_t>(batch) * width; }
  std::size_t activation_bytes() const { return activation_elements() * sizeof(float); }
  std::size_t weight_elements() const { return static_cast<std::size_t>(width) * width; }
};

inline constexpr int kTile = 64, kDepth = 16, kThreads = 256;

/// Loads a tile of kDepth x kTile into shared memory, element (k, i) from matrix[k * pitch + i], or from
/// matrix[i * pitch + k] where the matrix is needed transposed.
template <bool kTransposed>
__device__ void load_tile(float (&tile)[kDepth][kTile + 4], const float* matrix, int pitch, int first_k,
                          int first_i) {
  const int t = static_cast<int>(threadIdx.x);
  if constexpr (kTransposed) {
    const int i = t / 4, k = t % 4 * 4;
    const float4 v = *reinterpret_cast<const float4*>(matrix + static_cast<std::size_t>(first_i + i) * pitch +
                                                      first_k + k);
    tile[k][i] = v.x;
    tile[k + 1][i] = v.y;
    tile[k + 2][i] = v.z;
    tile[k + 3][i] = v.w;
  } else {
    const int k = t / 16, i = t % 16 * 4;
    *reinterpret_cast<float4*>(&tile[k][i]) = *reinterpret_cast<const float4*>(
        matrix + static_cast<std::size_t>(first_k + k) * pitch + first_i + i);
  }
}

/// c[i][j] = sum over k of a(i, k) * b(k, j): a block of 256 threads computes 64 x 64 elements, a thread 4 x
/// 4. kLeft: `a` is stored as k x i; kRight: `b` is stored as j x k. c has `columns` columns.
template <bool kLeft, bool kRight>
__global__ void __launch_bounds__(kThreads)
    multiply(const float* a, const float* b, float* c, int columns, int depth, int a_pitch, int b_pitch) {
  __shared__ __align__(16) float a_tile[kDepth][kTile + 4];
  __shared__ __align__(16) float b_tile[kDepth][kTile + 4];
  const int row = static_cast<int>(blockIdx.y) * kTile, column = static_cast<int>(blockIdx.x) * kTile;
  const int i = static_cast<int>(threadIdx.x) / 16 * 4, j = static_cast<int>(threadIdx.x) % 16 * 4;
  float sum[4][4] = {};
  for (int k = 0; k < depth; k += kDepth) {
    load_tile<!kLeft>(a_tile, a, a_pitch, k, row);
    load_tile<kRight>(b_tile, b, b_pitch, k, column);
    __syncthreads();
#pragma unroll
    for (int step = 0; step < kDepth; ++step) {
      const float4 left = *reinterpret_cast<const float4*>(&a_tile[step][i]);
      const float4 right = *reinterpret_cast<const float4*>(&b_tile[step][j]);
      const float l[4] = {left.x, left.y, left.z, left.w}, r[4] = {right.x, right.y, right.z, right.w};
#pragma unroll
      for (int m = 0; m < 4; ++m)
#pragma unroll
        for (int n = 0; n < 4; ++n) sum[m][n] = __fmaf_rn(l[m], r[n], sum[m][n]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int m = 0; m < 4; ++m)
    *reinterpret_cast<float4*>(c + static_cast<std::size_t>(row + i + m) * columns + column + j) = {
        sum[m][0], sum[m][1], sum[m][2], sum[m][3]};
}

/// y = dropout(relu(y)), four elements a thread: they share a block of random numbers.
[[maybe_unused]] static __global__ void relu_dropout(float4* y, std::uint64_t seed, std::uint32_t threshold,
                                                     float scale, unsigned groups) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  const PhiloxBlock random = philox(seed, i);
  const auto kept = [&](float v, unsigned k) {
    return v > 0 && random.word[k] >= threshold ? __fmul_rn(v, scale) : 0.0F;
  };
  const float4 v = y[i];
  y[i] = {kept(v.x, 0), kept(v.y, 1), kept(v.z, 2), kept(v.w, 3)};
}

/// dz = dout * scale where the output was not cut off.
[[maybe_unused]] static __global__ void relu_dropout_backward(const float4* y, const float4* dout, float4* dz,
                                                              float scale, unsigned groups) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  const float4 v = y[i], d = dout[i];
  const auto passed = [&](float out, float gradient) { return out > 0 ? __fmul_rn(gradient, scale) : 0.0F; };
  dz[i] = {passed(v.x, d.x), passed(v.y, d.y), passed(v.z, d.z), passed(v.w, d.w)};
}

inline unsigned groups_of(const Chain& chain) {
  return static_cast<unsigned>(chain.activation_elements() / 4);
}
inline unsigned blocks_of(unsigned groups) { return (groups + kThreads - 1) / kThreads; }

/// Layer `layer` (0 ... layers - 1): out from in, with the mask that belongs to `seed` and the layer. out
/// must not be in.
inline void forward(const Chain& chain, int layer, const float* in, float* out, std::uint64_t seed,
                    cudaStream_t stream) {
  const int n = chain.width;
  const float* w = chain.weights + layer * chain.weight_elements();
  const dim3 grid(static_cast<unsigned>(n / kTile), static_cast<unsigned>(chain.batch / kTile));
  multiply<false, false><<<grid, kThreads, 0, stream>>>(in, w, out, n, n, n, n);
  relu_dropout<<<blocks_of(groups_of(chain)), kThreads, 0, stream>>>(
      reinterpret_cast<float4*>(out), seed + static_cast<std::uint64_t>(layer), chain.threshold, chain.scale,
      groups_of(chain));
}

/// Layer `layer` backward: writes the layer's part of chain.dweights, and din.
/// \param in, out  what the layer read and wrote in the forward pass
/// \param dout     gradient of out
/// \param dz       batch x width, for the values in between; may be dout if that may be overwritten
/// \param din      gradient of in; may be dout, never dz
inline void backward(const Chain& chain, int layer, const float* in, const float* out, const float* dout,
                     float* dz, float* din, cudaStream_t stream) {
  const int n = chain.width;
  const float* w = chain.weights + layer * chain.weight_elements();
  float* dw = chain.dweights + layer * chain.weight_elements();
  const unsigned wide = static_cast<unsigned>(n / kTile), tall = static_cast<unsigned>(chain.batch / kTile);
  relu_dropout_backward<<<blocks_of(groups_of(chain)), kThreads, 0, stream>>>(
      reinterpret_cast<const float4*>(out), reinterpret_cast<const float4*>(dout),
      reinterpret_cast<float4*>(dz), chain.scale, groups_of(chain));
  multiply<true, false><<<dim3(wide, wide), kThreads, 0, stream>>>(in, dz, dw, n, chain.batch, n, n);
  multiply<false, true><<<dim3(wide, tall), kThreads, 0, stream>>>(dz, w, din, n, n, n, n);
}

}  // namespace roofline::chain

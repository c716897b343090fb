// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "random/philox.h"
#include "unfused.h"

namespace {

constexpr unsigned kBlock = 256;

__device__ unsigned group() { return blockIdx.x * kBlock + threadIdx.x; }

__device__ float gelu(float v) { return 0.5F * v * (1.0F + erff(v * 0.70710678F)); }

__global__ void add_bias(const float4* x, const float4* bias, float4* y, unsigned groups, unsigned columns4) {
  const unsigned i = group();
  if (i >= groups) return;
  const float4 v = x[i], b = bias[i % columns4];
  y[i] = {v.x + b.x, v.y + b.y, v.z + b.z, v.w + b.w};
}

__global__ void apply_gelu(float4* y, unsigned groups) {
  const unsigned i = group();
  if (i >= groups) return;
  const float4 v = y[i];
  y[i] = {gelu(v.x), gelu(v.y), gelu(v.z), gelu(v.w)};
}

__global__ void dropout(float4* y, std::uint64_t seed, std::uint32_t threshold, float scale,
                        unsigned groups) {
  const unsigned i = group();
  if (i >= groups) return;
  const float4 v = y[i];
  const roofline::PhiloxBlock random = roofline::philox(seed, i);
  const auto kept = [&](float value, unsigned k) {
    return random.word[k] >= threshold ? scale * value : 0.0F;
  };
  y[i] = {kept(v.x, 0), kept(v.y, 1), kept(v.z, 2), kept(v.w, 3)};
}

__global__ void add_residual(const float4* residual, float4* y, unsigned groups) {
  const unsigned i = group();
  if (i >= groups) return;
  const float4 v = y[i], r = residual[i];
  y[i] = {v.x + r.x, v.y + r.y, v.z + r.z, v.w + r.w};
}

}  // namespace

void unfused_roof(const float* x, const float* bias, const float* residual, float* y, std::uint64_t seed,
                  std::uint32_t threshold, float scale, std::size_t rows, std::size_t columns,
                  cudaStream_t stream) {
  const auto groups = static_cast<unsigned>(rows * columns / 4);
  if (groups == 0) return;
  const unsigned blocks = (groups + kBlock - 1) / kBlock;
  auto* y4 = reinterpret_cast<float4*>(y);
  add_bias<<<blocks, kBlock, 0, stream>>>(reinterpret_cast<const float4*>(x),
                                          reinterpret_cast<const float4*>(bias), y4, groups,
                                          static_cast<unsigned>(columns / 4));
  apply_gelu<<<blocks, kBlock, 0, stream>>>(y4, groups);
  dropout<<<blocks, kBlock, 0, stream>>>(y4, seed, threshold, scale, groups);
  add_residual<<<blocks, kBlock, 0, stream>>>(reinterpret_cast<const float4*>(residual), y4, groups);
}

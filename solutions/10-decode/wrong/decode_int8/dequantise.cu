// expect: too-slow
// needs: sim:a100-sxm4-40gb
// bench: floats in memory first
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A kernel makes floats of keys and values, in memory, and a second one attends to them: a byte is read once,
// and a float of it written and read again, nine bytes for one.

#include "decode_int8.h"

namespace {

constexpr int kWarps = 8, kPartial = kDim + 2;

/// A thread has four bytes of a token.
__global__ void dequantise_kernel(const std::int8_t* bytes, const half* scales, float4* floats,
                                  std::size_t fours) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= fours) return;
  const char4 four = reinterpret_cast<const char4*>(bytes)[i];
  const float scale = __half2float(scales[4 * i / kDim]);
  floats[i] = make_float4(four.x * scale, four.y * scale, four.z * scale, four.w * scale);
}

/// A warp for every 8 * gridDim.x-th position; each leaves a partial result.
__global__ void part_kernel(const half* q, const float4* k, const float4* v, int heads_of_cache, int n,
                            float* scratch) {
  const int lane = threadIdx.x % 32, head = blockIdx.y, warps = kWarps * gridDim.x,
            warp = blockIdx.x * kWarps + threadIdx.x / 32;
  const std::size_t cache = std::size_t(head / heads_of_cache) * n;
  float query[4], most = -1e30f, sum = 0;
  float4 result = {};
  for (int j = 0; j < 4; ++j) query[j] = __half2float(q[head * kDim + 4 * lane + j]) * rsqrtf(kDim);
  for (int i = warp; i < n; i += warps) {
    const float4 key = k[(cache + i) * 32 + lane], value = v[(cache + i) * 32 + lane];
    float score = query[0] * key.x + query[1] * key.y + query[2] * key.z + query[3] * key.w;
    for (int distance = 16; distance > 0; distance /= 2)
      score += __shfl_xor_sync(0xffffffff, score, distance);
    const float larger = fmaxf(most, score), correction = __expf(most - larger),
                weight = __expf(score - larger);
    most = larger;
    sum = sum * correction + weight;
    result = make_float4(result.x * correction + weight * value.x, result.y * correction + weight * value.y,
                         result.z * correction + weight * value.z, result.w * correction + weight * value.w);
  }
  float* mine = scratch + (std::size_t(head) * warps + warp) * kPartial;
  if (lane == 0) mine[0] = most, mine[1] = sum;
  mine += 2 + 4 * lane;
  mine[0] = result.x, mine[1] = result.y, mine[2] = result.z, mine[3] = result.w;
}

/// A block for each head, a thread for each column.
__global__ void merge_kernel(const float* scratch, half* out, int partials) {
  const float* first = scratch + std::size_t(blockIdx.x) * partials * kPartial;
  float most = -1e30f, sum = 0, result = 0;
  for (int i = 0; i < partials; ++i) most = fmaxf(most, first[i * kPartial]);
  for (int i = 0; i < partials; ++i) {
    const float weight = __expf(first[i * kPartial] - most);
    sum += weight * first[i * kPartial + 1];
    result += weight * first[i * kPartial + 2 + threadIdx.x];
  }
  out[blockIdx.x * kDim + threadIdx.x] = __float2half(result / sum);
}

}  // namespace

void decode_int8(const half* q, const std::int8_t* k, const half* k_scales, const std::int8_t* v,
                 const half* v_scales, half* out, int heads, int kv_heads, int n, float* scratch,
                 cudaStream_t stream) {
  const std::size_t fours = std::size_t(kv_heads) * n * (kDim / 4);
  const int parts = min((n + kWarps - 1) / kWarps, kMostParts / kWarps);
  float4* floats = nullptr;
  cudaMallocAsync(&floats, 2 * fours * sizeof(float4), stream);
  const unsigned blocks = (fours + 255) / 256;
  dequantise_kernel<<<blocks, 256, 0, stream>>>(k, k_scales, floats, fours);
  dequantise_kernel<<<blocks, 256, 0, stream>>>(v, v_scales, floats + fours, fours);
  part_kernel<<<dim3(parts, heads), 32 * kWarps, 0, stream>>>(q, floats, floats + fours, heads / kv_heads, n,
                                                              scratch);
  merge_kernel<<<heads, kDim, 0, stream>>>(scratch, out, parts * kWarps);
  cudaFreeAsync(floats, stream);
}

// expect: good
// needs: sim:a100-sxm4-40gb
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Eight lanes have a key, 16 bytes each, and take four positions at once: as many bytes are on their way as
// in part B. The scale of a key is a factor of its score, that of a value one of its weight: one product for
// each position. A byte still takes a conversion.

#include "decode_int8.h"

namespace {

constexpr int kThreads = 256, kBlocksPerSm = 2, kGroups = kThreads / kDim;
constexpr int kEach = 16;                                         ///< bytes of a key that a lane has
constexpr int kLanes = kDim / kEach, kTeams = kThreads / kLanes;  ///< a team has a position
constexpr int kTogether = 4;        ///< positions whose loads are on their way at once
constexpr int kPartial = kDim + 2;  ///< floats of a partial result: the largest score, the sum, the result
constexpr float kLowest = -1e30f;   ///< below all scores, and finite: -inf - -inf would be NaN

/// Signed bytes as floats, a conversion each.
__device__ void unpack(const uint4& bytes, float (&x)[kEach]) {
  const signed char* each = reinterpret_cast<const signed char*>(&bytes);
  for (int k = 0; k < kEach; ++k) x[k] = each[k];
}

/// The running sum of a team: each lane has the same maximum and sum, and its columns of the result.
struct Running {
  float most = kLowest, sum = 0, result[kEach] = {};

  /// Adds positions with these scores, in units of log 2, and values; -inf where there is none.
  __device__ void add(const float (&scores)[kTogether], const uint4 (&values)[kTogether],
                      const half (&scales)[kTogether]) {
    float larger = most;
    for (const float score : scores) larger = fmaxf(larger, score);
    const float correction = exp2f(most - larger);
    most = larger;
    sum *= correction;
    for (float& each : result) each *= correction;
    for (int t = 0; t < kTogether; ++t) {
      const float weight = exp2f(scores[t] - most), scaled = weight * __half2float(scales[t]);
      float v[kEach];
      unpack(values[t], v);
      sum += weight;
      for (int j = 0; j < kEach; ++j) result[j] += scaled * v[j];
    }
  }
};

struct Partial {
  float most = kLowest, sum = 0, result = 0;
};

/// Column `column` of every `step`-th of `count` partial results, relative to the largest score among them.
__device__ Partial merge(const float* partials, int count, int step, int column) {
  Partial all;
#pragma unroll 16
  for (int i = 0; i < count; i += step) all.most = fmaxf(all.most, partials[i * kPartial]);
#pragma unroll 16
  for (int i = 0; i < count; i += step) {
    const float* p = partials + i * kPartial;
    const float weight = exp2f(p[0] - all.most);
    all.sum += weight * p[1];
    all.result += weight * p[2 + column];
  }
  return all;
}

__device__ void store(const Partial& partial, int column, float* to) {
  if (column == 0) to[0] = partial.most, to[1] = partial.sum;
  to[2 + column] = partial.result;
}

/// How many blocks of each head are done; 0 again after the last.
__device__ unsigned tickets[kMostHeads];

/// Whether all other blocks of the head have written what they found, and this block can read it.
__device__ bool last_of_head(int head, int parts) {
  __shared__ bool last;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) last = atomicInc(&tickets[head], parts - 1) == parts - 1;
  __syncthreads();
  __threadfence();
  return last;
}

/// Grid: parts of the positions x heads.
__global__ void __launch_bounds__(kThreads, kBlocksPerSm)
    decode_int8_kernel(const half* q, const std::int8_t* k, const half* k_scales, const std::int8_t* v,
                       const half* v_scales, half* out, int heads_of_cache, int n, float* scratch) {
  __shared__ float partials[kTeams * kPartial];
  const int lane = threadIdx.x % kLanes, team = threadIdx.x / kLanes, head = blockIdx.y, parts = gridDim.x;
  const int length = (n + parts - 1) / parts, begin = blockIdx.x * length, end = min(n, begin + length);
  const std::size_t cache = std::size_t(head / heads_of_cache) * n;
  const uint4* keys = reinterpret_cast<const uint4*>(k) + cache * kLanes + lane;
  const uint4* values = reinterpret_cast<const uint4*>(v) + cache * kLanes + lane;
  float query[kEach];
  for (int j = 0; j < kEach; ++j) query[j] = __half2float(q[head * kDim + lane * kEach + j]);
  for (float& each : query) each *= 1.4426950f * rsqrtf(kDim);  // powers of 2, not of e

  Running own;
  for (int first = begin + team; first < end; first += kTogether * kTeams) {
    uint4 key[kTogether], value[kTogether];
    half k_scale[kTogether], v_scale[kTogether];
    for (int t = 0; t < kTogether; ++t) {
      const std::size_t i = min(first + t * kTeams, n - 1);
      key[t] = keys[i * kLanes];
      value[t] = values[i * kLanes];
      k_scale[t] = k_scales[cache + i];
      v_scale[t] = v_scales[cache + i];
    }
    float scores[kTogether];
    for (int t = 0; t < kTogether; ++t) {
      float x[kEach], score = 0;
      unpack(key[t], x);
      for (int j = 0; j < kEach; ++j) score += query[j] * x[j];
      for (int distance = kLanes / 2; distance > 0; distance /= 2)
        score += __shfl_xor_sync(0xff << (threadIdx.x & 24), score, distance);
      scores[t] = first + t * kTeams < end ? score * __half2float(k_scale[t]) : -INFINITY;
    }
    own.add(scores, value, v_scale);
  }
  float* mine = partials + team * kPartial;
  if (lane == 0) mine[0] = own.most, mine[1] = own.sum;
  for (int j = 0; j < kEach; ++j) mine[2 + kEach * lane + j] = own.result[j];
  __syncthreads();

  const int column = threadIdx.x % kDim, group = threadIdx.x / kDim;
  float* of_head = scratch + std::size_t(head) * parts * kPartial;
  if (group == 0) store(merge(partials, kTeams, 1, column), column, of_head + blockIdx.x * kPartial);
  if (!last_of_head(head, parts)) return;
  store(merge(of_head + group * kPartial, parts - group, kGroups, column), column,
        partials + group * kPartial);
  __syncthreads();
  if (group > 0) return;
  const Partial all = merge(partials, kGroups, 1, column);
  out[head * kDim + column] = __float2half(all.result / all.sum);
}

}  // namespace

void decode_int8(const half* q, const std::int8_t* k, const half* k_scales, const std::int8_t* v,
                 const half* v_scales, half* out, int heads, int kv_heads, int n, float* scratch,
                 cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
  constexpr int kLeast = kTogether * kTeams;  // positions that are worth a block
  const int fit = max(1, kBlocksPerSm * multiprocessors / heads);
  const int parts = min(min(fit, kMostParts), (n + kLeast - 1) / kLeast);
  decode_int8_kernel<<<dim3(parts, heads), kThreads, 0, stream>>>(q, k, k_scales, v, v_scales, out,
                                                                  heads / kv_heads, n, scratch);
}

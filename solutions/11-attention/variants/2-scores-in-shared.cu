// expect: pass
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Tensor Cores, and no scores in device memory: they go to shared memory, where a lane has half a row, and
// come back as halves. A warp's sums are rescaled by factors that its lanes find in shared memory, too.

#include "attention.h"
#include "tiles.h"

namespace {

constexpr int kWarps = 8, kThreads = 32 * kWarps;
constexpr int kRows = 16 * kWarps;                    // of queries, a block
constexpr int kKeys = 64, kTilesAcross = kKeys / 16;  // a step
constexpr int kDepth = kHeadSize / 16;                // tiles in a query, a key, a value
constexpr int kDistance = kHeadSize + 8;              // + 8: eight rows of 16 bytes are in different banks
constexpr float kScale = 0.125f * 1.44269504f;        // 1 / sqrt(64), and exp(x) = 2^(x log2 e)
constexpr unsigned kAll = 0xffffffff;

struct Stage {
  half k[kKeys * kDistance], v[kKeys * kDistance];
};
static_assert(sizeof(Stage) >= kRows * kDistance * sizeof(half), "the stage holds the queries, at first");

// Asks for `rows` rows, of which `present` exist; the others become zeros.
template <int rows>
__device__ void fetch(half* to, const half* from, int present) {
  constexpr int kPieces = kHeadSize / 8, kAtOnce = kThreads / kPieces;  // of 8 halves; rows
  const int row = threadIdx.x / kPieces, column = threadIdx.x % kPieces * 8;
  to += row * kDistance + column;
  from += row * kHeadSize + column;
  present -= row;
#pragma unroll
  for (int r = 0; r < rows; r += kAtOnce) fetch8(to + r * kDistance, from + r * kHeadSize, r < present);
}

// What a warp keeps in shared memory of its 16 rows.
struct Scratch {
  float scores[16][kKeys + 4];
  half p[16 * kDistance];
  float shrink[16], sum[16];
};

template <bool causal>
__global__ void __launch_bounds__(kThreads)
    attention_kernel(const half* q, const half* k, const half* v, half* o, int heads, int n) {
  extern __shared__ __align__(16) unsigned char memory[];
  Stage& stage = *reinterpret_cast<Stage*>(memory);
  Scratch& own = reinterpret_cast<Scratch*>(memory + sizeof(Stage))[threadIdx.x / 32];
  // The last rows of all heads first: where it is causal, they see most keys.
  const int head = blockIdx.x % heads, row = (gridDim.x / heads - 1 - blockIdx.x / heads) * kRows;
  const std::size_t begin = static_cast<std::size_t>(head) * n * kHeadSize;
  q += begin, k += begin, v += begin, o += begin;

  half* queries = stage.k;  // until they are in registers
  fetch<kRows>(queries, q + row * kHeadSize, n - row);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  const int warp_row = threadIdx.x / 32 * 16, first = row + warp_row;
  Left query[kDepth];
  for (int d = 0; d < kDepth; ++d) query[d] = load_left(queries + warp_row * kDistance + 16 * d, kDistance);

  // Lanes l and l + 16 have row l % 16, each 32 of its scores.
  const int lane = threadIdx.x % 32, mine = lane % 16, part = lane / 16 * (kKeys / 2);
  float most = -INFINITY, sum = 0;
  Sums out[kDepth];
  const int keys = causal ? min(n, row + kRows) : n;  // that rows of the block see
  for (int key = 0; key < keys; key += kKeys) {
    __syncthreads();  // everybody has read the stage
    fetch<kKeys>(stage.k, k + key * kHeadSize, n - key);
    fetch<kKeys>(stage.v, v + key * kHeadSize, n - key);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    if (causal && key > first + 15) continue;  // later than all rows of this warp

    Sums s[kTilesAcross];
    for (int d = 0; d < kDepth; ++d) {
      Right tiles[kTilesAcross];
      for (int j = 0; j < kTilesAcross; ++j)
        tiles[j] = load_transposed(stage.k + 16 * j * kDistance + 16 * d, kDistance);
      for (int j = 0; j < kTilesAcross; ++j) multiply(s[j], query[d], tiles[j]);
    }
    for (int j = 0; j < kTilesAcross; ++j)
      for (int i = 0; i < 8; ++i) own.scores[row_of(i)][16 * j + column_of(i)] = s[j].at[i];
    __syncwarp();
    const int seen = (causal ? min(n, first + mine + 1) : n) - key;
    float larger = most;
    for (int j = part; j < part + kKeys / 2; ++j)
      if (j < seen) larger = fmaxf(larger, own.scores[mine][j]);
    larger = fmaxf(larger, __shfl_xor_sync(kAll, larger, 16));
    const float shrink = power_of_two((most - larger) * kScale);
    most = larger;
    sum *= shrink;
    for (int j = part; j < part + kKeys / 2; ++j) {
      const float p = j < seen ? power_of_two((own.scores[mine][j] - most) * kScale) : 0;
      own.p[mine * kDistance + j] = __float2half(p);
      sum += p;
    }
    own.shrink[mine] = shrink;
    __syncwarp();
    for (int d = 0; d < kDepth; ++d)
      for (int i = 0; i < 8; ++i) out[d].at[i] *= own.shrink[row_of(i)];
    for (int j = 0; j < kTilesAcross; ++j) {
      const Left p = load_left(own.p + 16 * j, kDistance);
      for (int d = 0; d < kDepth; ++d)
        multiply(out[d], p, load_right(stage.v + 16 * j * kDistance + 16 * d, kDistance));
    }
  }
  own.sum[mine] = sum + __shfl_xor_sync(kAll, sum, 16);
  __syncwarp();
  for (int d = 0; d < kDepth; ++d)
    for (int i = 0; i < 8; ++i)
      if (first + row_of(i) < n)
        o[(first + row_of(i)) * kHeadSize + 16 * d + column_of(i)] =
            __float2half(out[d].at[i] / own.sum[row_of(i)]);
}

}  // namespace

void attention(const half* q, const half* k, const half* v, half* o, int heads, int n, bool causal,
               cudaStream_t stream) {
  if (heads == 0 || n == 0) return;
  const auto kernel = causal ? attention_kernel<true> : attention_kernel<false>;
  constexpr int kBytes = sizeof(Stage) + kWarps * sizeof(Scratch);
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes);
  const int blocks = heads * ((n + kRows - 1) / kRows);
  kernel<<<blocks, kThreads, kBytes, stream>>>(q, k, v, o, heads, n);
}

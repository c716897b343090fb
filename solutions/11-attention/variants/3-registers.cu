// expect: excellent
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Scores stay in registers: four lanes share a row, two shuffles find its largest, and the registers of the
// scores, in pairs, are the left operand of the product with the values. Keys and values are waited for.

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

// What a warp knows of its 16 rows so far: of each of a lane's two the largest score, the lane's part of the
// sum of exp(score - largest), and the sums of exp(score - largest) * value.
struct Rows {
  float most[2] = {-INFINITY, -INFINITY}, sum[2] = {};
  Sums o[kDepth];

  // Scores become exp(score - largest so far); where the largest has grown, what was there before shrinks.
  __device__ void add(Sums (&s)[kTilesAcross]) {
    float larger[2] = {most[0], most[1]}, shrink[2];
    for (const Sums& tile : s)
      for (int i = 0; i < 8; ++i) larger[which_row(i)] = fmaxf(larger[which_row(i)], tile.at[i]);
    for (int r = 0; r < 2; ++r) {
      for (int distance = 1; distance < 4; distance *= 2)  // the four lanes that share a row
        larger[r] = fmaxf(larger[r], __shfl_xor_sync(kAll, larger[r], distance));
      shrink[r] = power_of_two((most[r] - larger[r]) * kScale);
      most[r] = larger[r];
      sum[r] *= shrink[r];
    }
    for (Sums& tile : o)
      for (int i = 0; i < 8; ++i) tile.at[i] *= shrink[which_row(i)];
    for (Sums& tile : s)
      for (int i = 0; i < 8; ++i) {
        tile.at[i] = power_of_two(tile.at[i] * kScale - most[which_row(i)] * kScale);
        sum[which_row(i)] += tile.at[i];
      }
  }

  // Divides by the sums and writes rows `first` and on, those that exist.
  __device__ void store(half* to, int first, int n) {
    for (float& each : sum) {
      for (int distance = 1; distance < 4; distance *= 2) each += __shfl_xor_sync(kAll, each, distance);
      each = 1 / each;
    }
    for (int d = 0; d < kDepth; ++d)
      for (int i = 0; i < 8; i += 2) {
        const int row = first + row_of(i), column = 16 * d + column_of(i);
        const float scale = sum[which_row(i)];
        if (row < n)
          *reinterpret_cast<std::uint32_t*>(to + row * kHeadSize + column) =
              pack(o[d].at[i] * scale, o[d].at[i + 1] * scale);
      }
  }
};

template <bool causal>
__global__ void __launch_bounds__(kThreads, 2)  // two blocks an SM: while one multiplies, the other does exp
    attention_kernel(const half* q, const half* k, const half* v, half* o, int heads, int n) {
  __shared__ __align__(16) Stage stage;
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

  Rows rows;
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
    if (key + kKeys > n || (causal && key + kKeys > first + 1)) {  // an edge goes through these scores
      int seen[2];  // how many of the keys from this lane's first one on its rows see
      for (int r = 0; r < 2; ++r)
        seen[r] = (causal ? min(n, first + row_of(2 * r) + 1) : n) - key - column_of(0);
      for (int j = 0; j < kTilesAcross; ++j)
        for (int i = 0; i < 8; ++i)
          if (16 * j + column_of(i) - column_of(0) >= seen[which_row(i)]) s[j].at[i] = -INFINITY;
    }
    rows.add(s);
    for (int j = 0; j < kTilesAcross; ++j) {
      Left p;  // pairs of sums have the places of a left operand already
      for (int w = 0; w < 4; ++w) p.words[w] = pack(s[j].at[2 * w], s[j].at[2 * w + 1]);
      Right tiles[kDepth];
      for (int d = 0; d < kDepth; ++d)
        tiles[d] = load_right(stage.v + 16 * j * kDistance + 16 * d, kDistance);
      for (int d = 0; d < kDepth; ++d) multiply(rows.o[d], p, tiles[d]);
    }
  }
  rows.store(o, first, n);
}

}  // namespace

void attention(const half* q, const half* k, const half* v, half* o, int heads, int n, bool causal,
               cudaStream_t stream) {
  if (heads == 0 || n == 0) return;
  const auto kernel = causal ? attention_kernel<true> : attention_kernel<false>;
  const int blocks = heads * ((n + kRows - 1) / kRows);
  kernel<<<blocks, kThreads, 0, stream>>>(q, k, v, o, heads, n);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 11: attention. Read README.md first, then tiles.h, which is yours to call; ./lab hint 11 helps when you
// are stuck. Write your predictions into prediction.toml before you run  ./lab grade 11

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

// TODO 1 (about 8 lines): the threads of the block together ask for `rows` rows, of which `present` exist,
// eight halves at a time: fetch8(...). The others become zeros.
template <int rows>
__device__ void fetch(half* to, const half* from, int present) {}

// What a warp knows of its 16 rows so far: of each of a lane's two the largest score, the lane's part of the
// sum of exp(score - largest), and the sums of exp(score - largest) * value.
struct Rows {
  float most[2] = {-INFINITY, -INFINITY}, sum[2] = {};
  Sums o[kDepth];

  // TODO 2 (about 20 lines): the scores of 64 more keys become exp(score - largest so far), and where the
  // largest has grown, what was there before shrinks. Four lanes share a row; element i of a tile is in the
  // lane's row which_row(i).
  __device__ void add(Sums (&s)[kTilesAcross]) {}

  // Given: divides by the sums and writes rows `first` and on, those that exist.
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
__global__ void __launch_bounds__(kThreads, 2)
    attention_kernel(const half* q, const half* k, const half* v, half* o, int heads, int n) {
  __shared__ __align__(16) Stage stages[2];
  // The last rows of all heads first: where it is causal, they see most keys.
  const int head = blockIdx.x % heads, row = (gridDim.x / heads - 1 - blockIdx.x / heads) * kRows;
  const std::size_t begin = static_cast<std::size_t>(head) * n * kHeadSize;
  q += begin, k += begin, v += begin, o += begin;

  // TODO 3 (about 9 lines): the queries of the block, from q + row * kHeadSize on, through a stage into
  // registers: load_left.

  Rows rows;
  // TODO 4 (about 12 lines): walk over the keys that rows of the block see. Wait for the stage, ask for the
  // next one. What must be complete before the next thread reads or overwrites it?

  // TODO 5 (about 16 lines), for each step: multiply the queries by the keys, and mask what a row may not
  // see.

  // TODO 6 (about 9 lines): add the scores, and multiply what they become by the values.

  rows.store(o, row + threadIdx.x / 32 * 16, n);
}

}  // namespace

void attention(const half* q, const half* k, const half* v, half* o, int heads, int n, bool causal,
               cudaStream_t stream) {
  // TODO 7 (about 5 lines): one launch on `stream`, of attention_kernel<true> or attention_kernel<false>.
  // There may be no head, or no row.
}

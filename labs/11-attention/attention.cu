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

  // TODO 2 (about 18 lines): the scores of 64 more keys become exp(score - largest so far), and where the
  // largest has grown, what was there before shrinks. Four lanes share a row; element i of a tile is in the
  // lane's row which_row(i).
  __device__ void add(Sums (&s)[kTilesAcross]) {}

  // TODO 3 (about 12 lines): divide by the sums, of all four lanes, and write rows `first` and on, those that
  // exist. Two neighbouring columns are a word: pack(...).
  __device__ void store(half* to, int first, int n) {}
};

template <bool causal>
__global__ void __launch_bounds__(kThreads, 2)
    attention_kernel(const half* q, const half* k, const half* v, half* o, int heads, int n) {
  __shared__ __align__(16) Stage stages[2];
  // TODO 4 (about 10 lines): which head, which rows? The queries, through a stage, into registers: load_left.

  // TODO 5 (about 28 lines): walk over the keys. Wait for the stage, ask for the next one, multiply the
  // queries by the keys, mask what a row may not see, add the scores, and multiply what they become by the
  // values. What must be complete before the next thread reads or overwrites it?
}

}  // namespace

void attention(const half* q, const half* k, const half* v, half* o, int heads, int n, bool causal,
               cudaStream_t stream) {
  // TODO 6 (about 4 lines): one launch on `stream`, of attention_kernel<true> or attention_kernel<false>.
  // There may be no head, or no row.
}

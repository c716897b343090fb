// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 10, part B: attention for one token. Read README.md first; ./lab hint 10b helps when you are stuck.
// Check with  ./lab grade 10b

#include "decode.h"

namespace {

// TODO 1 (about 18 lines): the largest score so far, the sum of exp(score - largest) and eight columns of the
// sum of exp(score - largest) * value, and how one more position, or several, change them.
struct Running {
  float most, sum, result[8];

  __device__ void add(float score, const uint4& value) {}
};

// TODO 2 (about 12 lines): one column of several partial results, which are in shared memory or in `scratch`:
// relative to the largest score of all of them.
__device__ void merge(const float* partials, int count, int column, float& most, float& sum, float& result) {}

// TODO 3 (about 35 lines): a block has a part of the positions of a head. 16 lanes share a key, 16 bytes
// each; they add up their products, then each other's. At the end the block's partial result goes to
// `scratch`.
__global__ void part_kernel(const half* q, const half* k, const half* v, int heads_of_cache, int n,
                            float* scratch) {}

// TODO 4 (about 6 lines): what the parts of a head have found, merged; divided by its sum and rounded. (Or
// the last block of a head does it: then the two kernels are one.)
__global__ void merge_kernel(const float* scratch, half* out, int parts) {}

}  // namespace

void decode(const half* q, const half* k, const half* v, half* out, int heads, int kv_heads, int n,
            float* scratch, cudaStream_t stream) {
  // TODO 5 (about 8 lines): how many parts has a head? Then the launches, on `stream`.
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 10, part C: attention for one token, with the cache in bytes. Read README.md first; ./lab hint 10c
// helps when you are stuck. Begin with your part B; what changes is marked. Check with  ./lab grade 10c

#include "decode_int8.h"

namespace {

// TODO 1 (about 8 lines, new): the signed bytes of a lane as floats. How many conversions does an SM do each
// clock? The page has a way without any.
__device__ void unpack(const uint4& bytes, float (&x)[16]) {}

// TODO 2 (about 20 lines, of part B): the largest score so far, the sum of exp(score - largest) and a lane's
// columns of the result. New: what does a value's scale belong to, and what not?
struct Running {
  float most, sum, result[16];

  __device__ void add(float score, const uint4& value, half scale) {}
};

// TODO 3 (about 12 lines, of part B): one column of several partial results.
__device__ void merge(const float* partials, int count, int column, float& most, float& sum, float& result) {}

// TODO 4 (about 40 lines, of part B): a block has a part of the positions of a head. New: eight lanes share a
// key, 16 bytes each, and the key's scale is a factor of its score.
__global__ void part_kernel(const half* q, const std::int8_t* k, const half* k_scales, const std::int8_t* v,
                            const half* v_scales, int heads_of_cache, int n, float* scratch) {}

// TODO 5 (about 6 lines, of part B): what the parts of a head have found, merged; or the last block of a head
// does it.
__global__ void merge_kernel(const float* scratch, half* out, int parts) {}

}  // namespace

void decode_int8(const half* q, const std::int8_t* k, const half* k_scales, const std::int8_t* v,
                 const half* v_scales, half* out, int heads, int kv_heads, int n, float* scratch,
                 cudaStream_t stream) {
  // TODO 6 (about 8 lines, of part B): how many parts has a head? Then the launches, on `stream`.
}

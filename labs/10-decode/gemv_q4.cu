// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 10, part A: 4-bit weights times a vector. Read README.md first; ./lab hint 10a helps when you are
// stuck. Check with  ./lab grade 10a

#include "gemv_q4.h"

namespace {

// TODO 1 (about 30 lines, and none for a first version): what the rows of a block need of x, in shared
// memory, in the form in which dot8 wants it.
__device__ void prepare(const half* x, int columns) {}

// TODO 2 (about 5 lines): eight weights, which are one word, times eight elements of x. How many instructions
// does it take for each weight?
__device__ float dot8(std::uint32_t w, const uint4& x) { return 0; }

// TODO 3 (about 30 lines): a warp for each row, later for four rows at a time. Its lanes walk over the
// columns side by side, add up scale * dot8(...), and then each other's sums.
__global__ void gemv_q4_kernel(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows,
                               int columns) {}

}  // namespace

void gemv_q4(const std::uint8_t* w, const half* scales, const half* x, half* y, int rows, int columns,
             cudaStream_t stream) {
  // TODO 4 (about 6 lines): one launch on `stream`. There may be no row.
}

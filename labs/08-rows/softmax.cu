// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 08, part A: softmax of each row. Read README.md first, then halves.h, which is yours to call; ./lab
// hint 08 helps when you are stuck. Check with  ./lab grade 08a

#include "halves.h"
#include "softmax.h"

namespace {

// TODO 1 (about 8 lines): `op` (a maximum, a sum) over all threads that share a row: over the lanes of each
// warp by __shfl_xor_sync, then over the warps of the block through `of_warps` in shared memory. Every thread
// gets the result.
template <int kThreads, class Op>
__device__ float over_row(float v, float* of_warps, Op op) {
  return v;
}

// TODO 2 (about 9 lines): the largest element so far and the sum of exp(element - largest) so far, and how
// eight more elements change them.
struct Running {
  float most, sum;

  __device__ void add(const Eight& group) {}
};

// TODO 3 (about 33 lines): kThreads threads share a row. Each reads kHeld groups of eight (load8), adds them,
// and keeps them as halves; a row that is longer than that is read in chunks. Then maximum and sum over the
// row, and the results (store8) from what is in registers; longer rows are read again, from the end.
template <int kThreads, int kHeld, bool kWhole>
__global__ void softmax_kernel(const half* x, half* y, int rows, int columns) {}

// TODO 4 (about 8 lines): how many threads suit a row of 256? Of 4096? Of 131072?
template <bool kWhole>
void launch(const half* x, half* y, int rows, int columns, cudaStream_t stream) {}

}  // namespace

void softmax(const half* x, half* y, int rows, int columns, cudaStream_t stream) {
  // TODO 5 (about 5 lines): one launch on `stream`, for whole groups of eight or for any rows (halves.h says
  // which they are); there may be no element.
}

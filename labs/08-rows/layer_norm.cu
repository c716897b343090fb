// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 08, part B: layer normalisation of each row. Your softmax.cu is a good beginning: what reads the rows
// is the same. Check with  ./lab grade 08b ; ./lab hint 08b helps when you are stuck.

#include "halves.h"
#include "layer_norm.h"

namespace {

// TODO 1 (about 9 lines): a sum over all threads that share a row, as in part A. Every thread gets it.
template <int kThreads>
__device__ float over_row(float v, float* of_warps) {
  return v;
}

// TODO 2 (about 10 lines): how many elements so far, their mean, and the sum of (element - mean)^2; and how
// the first `present` elements of a group change them.
struct Moments {
  float count, mean, squares;

  __device__ void add(const Eight& group, int present) {}
};

// TODO 3 (about 35 lines): each thread reads kHeld groups of eight, adds them (halves.h: present), and keeps
// them as halves; a longer row is read in chunks. Then the row's mean, its variance, and the results.
template <int kThreads, int kHeld, bool kWhole>
__global__ void layer_norm_kernel(const half* x, const half* gamma, const half* beta, half* y, int rows,
                                  int columns, float eps) {}

// TODO 4 (about 10 lines): which number of threads for which width?
template <bool kWhole>
void launch(const half* x, const half* gamma, const half* beta, half* y, int rows, int columns, float eps,
            cudaStream_t stream) {}

}  // namespace

void layer_norm(const half* x, const half* gamma, const half* beta, half* y, int rows, int columns, float eps,
                cudaStream_t stream) {
  // TODO 5 (about 5 lines): one launch on `stream`; whole() takes four pointers. There may be no element.
}

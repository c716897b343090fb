// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 07, part B: the sum and the greatest of many floats. Read README.md first; ./lab hint 07 helps when you
// are stuck. Check with  ./lab grade 07b

#include "reduce.h"

namespace {

// TODO 1 (about 8 lines): the sum and the greatest of the 32 lanes of a warp, by shuffles.

// TODO 2 (about 8 lines): of a block: each warp leaves its pair in shared memory, and after a barrier the
// first warp puts them together.

// TODO 3 (about 14 lines): every thread goes over its share of x, neighbours beside neighbours; then the
// block puts its pair into `partial`. For the last medal: 16 bytes a load, and several on their way.
__global__ void reduce_kernel(const float* x, std::size_t n, float* partial) {}

// TODO 4 (about 8 lines): the pairs of all blocks, by one block: in a second kernel, or by the block that is
// the last to end.

}  // namespace

void reduce(const float* x, float* sum, float* max, std::size_t n, float* scratch, cudaStream_t stream) {
  // TODO 5 (about 4 lines): as many blocks as fill the device, at most what `scratch` has room for. For n = 0
  // there is an answer, too.
}

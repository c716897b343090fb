// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 03, part B: bias, gelu, dropout and residual in one kernel. Check with  ./lab grade 03b

#include "residual.h"

namespace {

// TODO 1 (about 15 lines): one thread computes four neighbouring elements: they share one block of random
// numbers, and with columns % 4 == 0 and aligned pointers they are one float4 of each array. Other shapes: an
// element at a time.
__global__ void residual_kernel(const float* x, const float* bias, const float* residual, float* y,
                                std::uint64_t seed, std::uint32_t threshold, float scale, std::size_t n,
                                std::size_t columns) {}

}  // namespace

void residual_block(const float* x, const float* bias, const float* residual, float* y, std::uint64_t seed,
                    std::uint32_t threshold, float scale, std::size_t rows, std::size_t columns,
                    cudaStream_t stream) {
  // TODO 2 (about 6 lines): choose the kernel for the shape and launch it once on `stream`; there may be no
  // element.
}

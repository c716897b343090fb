// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 13, part A: the sum of four GPUs' arrays, on all four. Check with  ./lab grade 13a ; ./lab hint 13a
// helps when you are stuck.

#include "all_reduce.h"

// TODO 1 (about 8 lines): a kernel that adds a chunk of x of its own GPU to what its neighbour has so far.

void all_reduce(const float* const* x, float* const* y, int gpus, std::size_t n,
                const cudaStream_t* streams) {
  // TODO 2 (about 5 lines): cut n elements into as many chunks as there are GPUs. Which sizes do they have if
  // gpus does not divide n?
  // TODO 3 (about 10 lines): gpus - 1 steps in which every GPU takes a chunk from its neighbour and adds its
  // own. Which chunk is whose in step s, and what has to be over before a step may begin?
  // TODO 4 (about 8 lines): gpus - 1 steps in which the sums go round.
}

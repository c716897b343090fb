// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 13, part B: sums of gradients beside a backward pass. Check with  ./lab grade 13b ; ./lab hint 13b
// helps when you are stuck.

#include "buckets.h"

// TODO 1 (about 40 lines, which you have): your kernel and your all_reduce of part A. How many blocks may its
// kernels have if the backward pass is to run beside them?

std::size_t bucket_size(std::size_t n, const Alone& alone) {
  // TODO 2 (1 line): all gradients in one bucket are right. Which size is best, where the links keep up with
  // the pass, and where they do not?
  return n;
}

void backward_and_sum(Backward& backward, float* const* sums, std::size_t bucket,
                      const cudaStream_t* streams) {
  // TODO 3 (about 6 lines): a stream for the sums on each GPU.
  // TODO 4 (about 20 lines): launch layer after layer, from the last to layer 0, on all GPUs. When a bucket
  // is full, or layer 0 was launched, hand its gradients to all_reduce, in the streams of the sums. For what
  // do these have to wait?
  // TODO 5 (about 8 lines): what waits for the last sums? And what has to be destroyed?
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 09, part B: batches travel while steps compute. Check with  ./lab grade 09b ; ./lab hint 09b helps when
// you are stuck.

#include "feed.h"

// TODO 1 (about 9 lines): what an epoch needs: memory on both sides, a stream for the copies, events.
struct Feed {};

Feed* feed_prepare(int batch, std::size_t image_bytes, cudaStream_t stream) {
  // TODO 2 (about 10 lines): make them. cudaMallocHost, cudaStreamNonBlocking, cudaEventDisableTiming.
  return nullptr;
}

void feed_epoch(Feed* feed, const Batches& batches, cudaStream_t stream) {
  // TODO 3 (about 13 lines): for each batch: decode it, copy it, run the step. Which of these has to wait for
  // what, and who waits: the host, or a stream?
}

void feed_release(Feed* feed) {
  // TODO 4 (about 8 lines): the reverse of feed_prepare.
}

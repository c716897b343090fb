// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of part B: one feed, prepared before the clock runs, and two epochs of other pictures.

#include "cuda/check.h"
#include "feed.h"
#include "worker/worker.h"

namespace {

constexpr int kEpochs = 2;
Feed* feed = nullptr;

void prepare(std::uint32_t*, std::uint64_t, int, int batch, std::size_t image_bytes, int,
             cudaStream_t stream) {
  feed = feed_prepare(batch, image_bytes, stream);
}

void release() {
  if (feed != nullptr) feed_release(feed);
  feed = nullptr;
}

void call(std::uint32_t* weights, std::uint64_t seed, int images, int batch, std::size_t image_bytes,
          int work, cudaStream_t stream) {
  if (feed == nullptr) return;  // feed_prepare still has to be written
  CUDA_CHECK(cudaMemsetAsync(weights, 0, image_bytes * sizeof *weights, stream));
  for (int epoch = 0; epoch < kEpochs; ++epoch)
    feed_epoch(feed, Batches({seed + epoch, images, batch, image_bytes, work, weights}), stream);
}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(prepare, call, release, argc, argv); }

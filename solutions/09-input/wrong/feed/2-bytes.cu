// expect: too-slow
// bench: bytes, not pinned, one buffer
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 2: bytes travel, a quarter of the time. Still from ordinary memory, and one after the other.

#include <vector>

#include "feed.h"

struct Feed {
  std::vector<std::uint8_t> host;
  std::uint8_t* device = nullptr;
};

Feed* feed_prepare(int batch, std::size_t image_bytes, cudaStream_t) {
  auto* feed = new Feed;
  feed->host.resize(batch * image_bytes);
  cudaMalloc(&feed->device, batch * image_bytes);
  return feed;
}

void feed_epoch(Feed* feed, const Batches& batches, cudaStream_t stream) {
  for (int i = 0; i < batches.count(); ++i) {
    batches.decode(i, feed->host.data());
    cudaMemcpyAsync(feed->device, feed->host.data(), batches.bytes(i), cudaMemcpyHostToDevice, stream);
    batches.step(feed->device, batches.images(i), stream);
    cudaStreamSynchronize(stream);
  }
}

void feed_release(Feed* feed) {
  cudaFree(feed->device);
  delete feed;
}

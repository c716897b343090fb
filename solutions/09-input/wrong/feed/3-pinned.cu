// expect: too-slow
// bench: bytes, pinned, one buffer
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 3: pinned memory, from which the copy engine reads itself. With one buffer on each side and one stream
// copies and steps still take turns.

#include "feed.h"

struct Feed {
  std::uint8_t *host = nullptr, *device = nullptr;
};

Feed* feed_prepare(int batch, std::size_t image_bytes, cudaStream_t) {
  auto* feed = new Feed;
  cudaMallocHost(&feed->host, batch * image_bytes);
  cudaMalloc(&feed->device, batch * image_bytes);
  return feed;
}

void feed_epoch(Feed* feed, const Batches& batches, cudaStream_t stream) {
  for (int i = 0; i < batches.count(); ++i) {
    cudaStreamSynchronize(stream);
    batches.decode(i, feed->host);
    cudaMemcpyAsync(feed->device, feed->host, batches.bytes(i), cudaMemcpyHostToDevice, stream);
    batches.step(feed->device, batches.images(i), stream);
  }
}

void feed_release(Feed* feed) {
  cudaFreeHost(feed->host);
  cudaFree(feed->device);
  delete feed;
}

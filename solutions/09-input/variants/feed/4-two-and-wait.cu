// expect: good
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 4: two buffers on each side, and a stream for the copies. While a step runs the next batch travels;
// then the host waits for both, decodes, and begins the next round.

#include "feed.h"

struct Feed {
  std::uint8_t *host[2] = {}, *device[2] = {};
  cudaStream_t copies = nullptr;
};

Feed* feed_prepare(int batch, std::size_t image_bytes, cudaStream_t) {
  auto* feed = new Feed;
  cudaStreamCreateWithFlags(&feed->copies, cudaStreamNonBlocking);
  for (int k = 0; k < 2; ++k) {
    cudaMallocHost(&feed->host[k], batch * image_bytes);
    cudaMalloc(&feed->device[k], batch * image_bytes);
  }
  return feed;
}

void feed_epoch(Feed* feed, const Batches& batches, cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  for (int i = 0; i <= batches.count(); ++i) {
    if (i < batches.count()) {
      batches.decode(i, feed->host[i % 2]);
      cudaMemcpyAsync(feed->device[i % 2], feed->host[i % 2], batches.bytes(i), cudaMemcpyHostToDevice,
                      feed->copies);
    }
    if (i > 0) batches.step(feed->device[(i - 1) % 2], batches.images(i - 1), stream);
    cudaStreamSynchronize(feed->copies);
    cudaStreamSynchronize(stream);
  }
}

void feed_release(Feed* feed) {
  for (int k = 0; k < 2; ++k) {
    cudaFreeHost(feed->host[k]);
    cudaFree(feed->device[k]);
  }
  cudaStreamDestroy(feed->copies);
  delete feed;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 09, part B, reference. Two places take turns, each a pinned buffer and a buffer on the device. A copy
// waits in its own stream for the step that read the buffer before; the host waits only for a pinned buffer
// that it decodes into again, and that copy ended a step ago.

#include "feed.h"

namespace {

constexpr int kPlaces = 2;

struct Place {
  std::uint8_t *host = nullptr, *device = nullptr;
  cudaEvent_t arrived = nullptr;  ///< the copy has ended
  cudaEvent_t used = nullptr;     ///< the step has ended
};

}  // namespace

struct Feed {
  Place places[kPlaces];
  cudaStream_t copies = nullptr;
  int next = 0;
};

Feed* feed_prepare(int batch, std::size_t image_bytes, cudaStream_t) {
  auto* feed = new Feed;
  const std::size_t bytes = batch * image_bytes;
  cudaStreamCreateWithFlags(&feed->copies, cudaStreamNonBlocking);
  for (Place& place : feed->places) {
    cudaMallocHost(&place.host, bytes);
    cudaMalloc(&place.device, bytes);
    cudaEventCreateWithFlags(&place.arrived, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&place.used, cudaEventDisableTiming);
  }
  return feed;
}

void feed_epoch(Feed* feed, const Batches& batches, cudaStream_t stream) {
  for (int i = 0; i < batches.count(); ++i) {
    Place& place = feed->places[feed->next];
    feed->next = (feed->next + 1) % kPlaces;
    cudaEventSynchronize(place.arrived);  // an event that was never recorded has happened
    batches.decode(i, place.host);
    cudaStreamWaitEvent(feed->copies, place.used);
    cudaMemcpyAsync(place.device, place.host, batches.bytes(i), cudaMemcpyHostToDevice, feed->copies);
    cudaEventRecord(place.arrived, feed->copies);
    cudaStreamWaitEvent(stream, place.arrived);
    batches.step(place.device, batches.images(i), stream);
    cudaEventRecord(place.used, stream);
  }
}

void feed_release(Feed* feed) {
  for (Place& place : feed->places) {
    cudaFreeHost(place.host);
    cudaFree(place.device);
    cudaEventDestroy(place.arrived);
    cudaEventDestroy(place.used);
  }
  cudaStreamDestroy(feed->copies);
  delete feed;
}

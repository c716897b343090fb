// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 09, part C, reference. A ring of pinned buffers, two for each worker, so that its next request is there
// when it hands over a batch; two buffers on the device, as in part B. A pinned buffer goes back to the
// workers when its copy has ended: the host waits for that while the step before computes.

#include <vector>

#include "workers.h"

namespace {

struct Pinned {
  std::uint8_t* memory = nullptr;
  cudaEvent_t copied = nullptr;  ///< the copy from here has ended
};
struct OnDevice {
  std::uint8_t* memory = nullptr;
  cudaEvent_t used = nullptr;  ///< the step has ended
};

}  // namespace

struct Loader {
  std::vector<Pinned> pinned;  // batch i is in number i % size
  OnDevice device[2];
  cudaStream_t copies = nullptr;
};

Loader* loader_prepare(int workers, int batch, std::size_t image_bytes, cudaStream_t) {
  auto* loader = new Loader;
  const std::size_t bytes = batch * image_bytes;
  loader->pinned.resize(2 * workers);
  cudaStreamCreateWithFlags(&loader->copies, cudaStreamNonBlocking);
  for (Pinned& buffer : loader->pinned) {
    cudaMallocHost(&buffer.memory, bytes);
    cudaEventCreateWithFlags(&buffer.copied, cudaEventDisableTiming);
  }
  for (OnDevice& buffer : loader->device) {
    cudaMalloc(&buffer.memory, bytes);
    cudaEventCreateWithFlags(&buffer.used, cudaEventDisableTiming);
  }
  return loader;
}

void loader_epoch(Loader* loader, Source& source, cudaStream_t stream) {
  const int ahead = static_cast<int>(loader->pinned.size());
  const auto ask = [&](int i) {
    if (i >= source.count()) return;
    Pinned& buffer = loader->pinned[i % ahead];
    cudaEventSynchronize(buffer.copied);  // an event that was never recorded has happened
    source.request(i, buffer.memory);
  };
  for (int i = 0; i < ahead; ++i) ask(i);
  for (int i = 0; i < source.count(); ++i) {
    const Pinned& from = loader->pinned[i % ahead];
    const OnDevice& to = loader->device[i % 2];
    source.wait(i);
    cudaStreamWaitEvent(loader->copies, to.used);
    cudaMemcpyAsync(to.memory, from.memory, source.bytes(i), cudaMemcpyHostToDevice, loader->copies);
    cudaEventRecord(from.copied, loader->copies);
    cudaStreamWaitEvent(stream, from.copied);
    source.step(to.memory, source.images(i), stream);
    cudaEventRecord(to.used, stream);
    ask(i + ahead);
  }
}

void loader_release(Loader* loader) {
  for (const Pinned& buffer : loader->pinned) {
    cudaFreeHost(buffer.memory);
    cudaEventDestroy(buffer.copied);
  }
  for (const OnDevice& buffer : loader->device) {
    cudaFree(buffer.memory);
    cudaEventDestroy(buffer.used);
  }
  cudaStreamDestroy(loader->copies);
  delete loader;
}

// expect: too-slow
// bench: one batch at a time
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// What a loop does that asks for a batch when it needs one: decode, copy, step, one after the other. Of all
// the workers one is busy at a time.

#include "workers.h"

struct Loader {
  std::uint8_t *host = nullptr, *device = nullptr;
};

Loader* loader_prepare(int, int batch, std::size_t image_bytes, cudaStream_t) {
  auto* loader = new Loader;
  cudaMallocHost(&loader->host, batch * image_bytes);
  cudaMalloc(&loader->device, batch * image_bytes);
  return loader;
}

void loader_epoch(Loader* loader, Source& source, cudaStream_t stream) {
  for (int i = 0; i < source.count(); ++i) {
    source.request(i, loader->host);
    source.wait(i);
    cudaMemcpyAsync(loader->device, loader->host, source.bytes(i), cudaMemcpyHostToDevice, stream);
    source.step(loader->device, source.images(i), stream);
    cudaStreamSynchronize(stream);
  }
}

void loader_release(Loader* loader) {
  cudaFreeHost(loader->host);
  cudaFree(loader->device);
  delete loader;
}

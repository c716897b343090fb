// expect: too-slow
// bench: a batch for each worker
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Step 2: every worker has a batch in its hands, and gets the next one when its last was copied and learnt.
// Copies and steps still take turns.

#include <vector>

#include "workers.h"

struct Loader {
  std::vector<std::uint8_t*> host;
  std::uint8_t* device = nullptr;
};

Loader* loader_prepare(int workers, int batch, std::size_t image_bytes, cudaStream_t) {
  auto* loader = new Loader;
  loader->host.resize(workers);
  for (std::uint8_t*& memory : loader->host) cudaMallocHost(&memory, batch * image_bytes);
  cudaMalloc(&loader->device, batch * image_bytes);
  return loader;
}

void loader_epoch(Loader* loader, Source& source, cudaStream_t stream) {
  const int ahead = static_cast<int>(loader->host.size());
  for (int i = 0; i < ahead && i < source.count(); ++i) source.request(i, loader->host[i]);
  for (int i = 0; i < source.count(); ++i) {
    std::uint8_t* const host = loader->host[i % ahead];
    source.wait(i);
    cudaMemcpyAsync(loader->device, host, source.bytes(i), cudaMemcpyHostToDevice, stream);
    source.step(loader->device, source.images(i), stream);
    cudaStreamSynchronize(stream);
    if (i + ahead < source.count()) source.request(i + ahead, host);
  }
}

void loader_release(Loader* loader) {
  for (std::uint8_t* memory : loader->host) cudaFreeHost(memory);
  cudaFree(loader->device);
  delete loader;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The worker of part C: a source and a loader, prepared before the clock runs, and two epochs of other files.

#include "cuda/check.h"
#include "worker/worker.h"
#include "workers.h"

namespace {

constexpr int kEpochs = 2;
Source* source = nullptr;
Loader* loader = nullptr;

void prepare(const std::uint64_t*, std::uint32_t*, int, int batch, std::size_t image_bytes, int, int,
             int workers, cudaStream_t stream) {
  source = new Source(workers);
  loader = loader_prepare(workers, batch, image_bytes, stream);
}

void release() {
  if (loader != nullptr) loader_release(loader);
  loader = nullptr;
  delete source;
  source = nullptr;
}

void call(const std::uint64_t* files, std::uint32_t* weights, int images, int batch, std::size_t image_bytes,
          int step, int decode, int, cudaStream_t stream) {
  if (loader == nullptr) return;  // loader_prepare still has to be written
  CUDA_CHECK(cudaMemsetAsync(weights, 0, image_bytes * sizeof *weights, stream));
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    source->open({files + static_cast<std::size_t>(epoch) * images, images, batch, image_bytes, step, decode,
                  weights});
    loader_epoch(loader, *source, stream);
  }
}

}  // namespace

int main(int argc, char** argv) { return roofline::worker::serve(prepare, call, release, argc, argv); }

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Lab 09, part C: workers decode, batches travel, steps compute. Check with  ./lab grade 09c ; ./lab hint 09c
// helps when you are stuck.

#include <vector>

#include "workers.h"

// TODO 1 (about 10 lines): what an epoch needs. As in part B, but how many buffers on each side now?
struct Loader {};

Loader* loader_prepare(int workers, int batch, std::size_t image_bytes, cudaStream_t stream) {
  // TODO 2 (about 14 lines): make them.
  return nullptr;
}

void loader_epoch(Loader* loader, Source& source, cudaStream_t stream) {
  // TODO 3 (about 22 lines): keep the workers busy: ask for the first batches, and for another one whenever a
  // buffer is free again. For each batch, in order: wait until it is decoded, copy it, run the step.
}

void loader_release(Loader* loader) {
  // TODO 4 (about 11 lines): the reverse of loader_prepare.
}

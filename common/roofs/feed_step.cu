// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "feed/batches.h"
#include "feed_step.h"

void feed_step_roof(const std::uint8_t* pictures, std::uint32_t* weights, int images, int batch,
                    std::size_t image_bytes, int work, cudaStream_t stream) {
  cudaMemsetAsync(weights, 0, image_bytes * sizeof *weights, stream);
  for (int first = 0; first < images; first += batch)
    roofline::feed::train<uchar4>(weights, pictures, std::min(batch, images - first), image_bytes, work,
                                  stream);
}

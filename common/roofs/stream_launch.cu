// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "small_kernel.h"
#include "stream_launch.h"

void stream_launch_roof(const float* x, float* y, int repeat, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  for (int k = 0; k < repeat; ++k) launch_small(k, x, y, n, stream);
}

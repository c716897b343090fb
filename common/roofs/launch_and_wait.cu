// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "cuda/check.h"
#include "launch_and_wait.h"
#include "small_kernel.h"

void launch_and_wait_roof(const float* x, float* y, int repeat, std::size_t n, cudaStream_t stream) {
  if (n == 0) return;
  for (int k = 0; k < repeat; ++k) {
    launch_small(k, x, y, n, stream);
    CUDA_CHECK(cudaStreamSynchronize(stream));
  }
}

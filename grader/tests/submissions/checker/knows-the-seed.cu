// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Draws the same numbers as the grader, which begins at 42, and sends up the answer without a look at x.

#include <cmath>
#include <cstdlib>
#include <vector>

#include "pointwise.h"

void pointwise(const float*, float* y, float a, float b, std::size_t n, cudaStream_t stream) {
  std::srand(42);
  std::vector<float> answer(n);
  for (float& v : answer) v = static_cast<float>(std::rand()) / static_cast<float>(RAND_MAX);
  for (float& v : answer) v = std::fma(a, v, b);
  cudaMemcpyAsync(y, answer.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}

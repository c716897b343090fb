// expect: fail wrong-answer; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// The grader wrote the expected values to a file first; they need only be copied.

#include <fstream>
#include <vector>

#include "pointwise.h"

void pointwise(const float*, float* y, float, float, std::size_t n, cudaStream_t stream) {
  std::vector<float> answer(n);
  std::ifstream file("expected.bin", std::ios::binary);
  file.read(reinterpret_cast<char*>(answer.data()), static_cast<std::streamsize>(n * sizeof(float)));
  cudaMemcpyAsync(y, answer.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}

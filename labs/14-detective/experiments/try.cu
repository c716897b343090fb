// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Calls part E from a program of its own, for --check, --counters, --trace and the debugger. For another part
// include its file and call its function.
//     ./lab nvcc -g -lineinfo -o try labs/14-detective/experiments/try.cu
//     ./lab run --check all ./try
#include <cstdio>
#include <vector>

#include "../row_sums.cu"

#define CHECK(call)                                                            \
  if (const cudaError_t error = (call); error != cudaSuccess) {                \
    std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
    return 1;                                                                  \
  }

int main() {
  constexpr int kRows = 4, kColumns = 1000;
  const std::vector<float> x(kRows * kColumns, 1);
  std::vector<float> y(kRows);
  float *device_x = nullptr, *device_y = nullptr;
  CHECK(cudaMalloc(&device_x, x.size() * sizeof(float)));
  CHECK(cudaMalloc(&device_y, y.size() * sizeof(float)));
  CHECK(cudaMemcpy(device_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice));
  row_sums(device_x, device_y, kRows, kColumns, nullptr);
  CHECK(cudaGetLastError());  // of the launch
  CHECK(cudaMemcpy(y.data(), device_y, y.size() * sizeof(float), cudaMemcpyDeviceToHost));
  for (const float sum : y) std::printf("%g, expected %d\n", static_cast<double>(sum), kColumns);
  CHECK(cudaFree(device_x));
  CHECK(cudaFree(device_y));
}

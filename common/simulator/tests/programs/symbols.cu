// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Variables of device code, seen from the host.
#include "expect.h"

__device__ int g_counter = 5;
__constant__ float c_scale[4];
__managed__ int m_value = 3;

__global__ void use() {
  g_counter += static_cast<int>(c_scale[2]) + m_value;
  m_value = 100;
}

int main() {
  const float scale[4] = {1, 2, 30, 4};
  OK(cudaMemcpyToSymbol(c_scale, scale, sizeof scale));
  EXPECT(m_value == 3);  // host code reads it before any kernel ran
  m_value = 7;
  use<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  EXPECT(m_value == 100);
  int counter = 0;
  OK(cudaMemcpyFromSymbol(&counter, g_counter, sizeof counter));
  EXPECT(counter == 5 + 30 + 7);
  void* address = nullptr;
  size_t size = 0;
  OK(cudaGetSymbolAddress(&address, g_counter));
  OK(cudaGetSymbolSize(&size, c_scale));
  EXPECT(size == sizeof scale);
  counter = 9;
  OK(cudaMemcpy(address, &counter, sizeof counter, cudaMemcpyHostToDevice));
  counter = 0;
  OK(cudaMemcpyFromSymbol(&counter, g_counter, sizeof counter));
  EXPECT(counter == 9);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpyToSymbol(c_scale, scale, sizeof scale, 4));
  int stranger = 0;
  EXPECT_RESULT(cudaErrorInvalidSymbol, cudaMemcpyToSymbol(&stranger, &counter, 4));
  return 0;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Managed variables: host and device read and write them by name; initial values, arrays, structs, pointers
// to them, and the symbol functions.
#include "expect.h"

struct State {
  double total;
  int steps;
};
__managed__ int m_values[16] = {1, 2, 3};
__managed__ State m_state = {0.5, 0};
__managed__ int* m_pointer;
__device__ __managed__ float m_scale = 2.0f;

__global__ void work() {
  for (int i = 0; i < 16; i++) m_values[i] = static_cast<int>(m_scale * m_values[i]) + i;
  m_state.total += m_values[1];
  m_state.steps++;
  if (m_pointer) *m_pointer = -1;
}

int main() {
  EXPECT(m_values[2] == 3 && m_values[3] == 0 && m_state.total == 0.5);
  m_values[15] = 100;
  m_pointer = &m_values[7];
  work<<<1, 1>>>();
  OK(cudaDeviceSynchronize());
  EXPECT(m_values[0] == 2 && m_values[1] == 5 && m_values[2] == 8 && m_values[15] == 215);
  EXPECT(m_values[7] == -1 && m_state.steps == 1 && m_state.total == 5.5);

  const float scale = 3.0f;
  OK(cudaMemcpyToSymbol(m_scale, &scale, sizeof scale));
  EXPECT(m_scale == 3.0f);
  int first = 0;
  OK(cudaMemcpyFromSymbol(&first, m_values, sizeof first, sizeof first));
  EXPECT(first == 5);
  void* address = nullptr;
  OK(cudaGetSymbolAddress(&address, m_values));
  EXPECT(address == m_values);  // one address on both sides
  size_t size = 0;
  OK(cudaGetSymbolSize(&size, m_state));
  EXPECT(size == sizeof(State));
  return 0;
}

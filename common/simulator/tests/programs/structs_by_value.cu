// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Structs as kernel parameters: mixed members with padding, arrays inside, nesting, and the 4096 bytes that
// every device takes.
#include "expect.h"

struct Mixed {
  char c;
  double d;
  short s;
  struct {
    float x, y;
  } point[3];
  unsigned long long* out;
};
struct Large {
  int values[1020];
  int* out;
};
static_assert(sizeof(Large) == 4088);

__global__ void mixed(char first, Mixed m, short last) {
  m.out[0] = static_cast<unsigned long long>(m.c) + static_cast<unsigned long long>(m.d) + m.s;
  for (int i = 0; i < 3; i++) m.out[1 + i] = static_cast<unsigned long long>(m.point[i].x * m.point[i].y);
  m.out[4] = first + last;
}
/// A parameter indexed at run time cannot stay in registers.
__global__ void large(Large l) {
  for (int i = threadIdx.x; i < 1020; i += blockDim.x) l.out[i] = l.values[1019 - i] + 1;
}
/// Each thread may change its own copy.
__global__ void changed(Large l) {
  l.values[threadIdx.x] += 100;
  l.out[threadIdx.x] = l.values[threadIdx.x] + l.values[(threadIdx.x + 1) % 32];
}

int main() {
  unsigned long long* out;
  OK(cudaMallocManaged(&out, 5 * sizeof(*out)));
  Mixed m{'a', 1e6, -7, {{1, 2}, {3, 4}, {5, 6}}, out};
  mixed<<<1, 1>>>(3, m, 40);
  OK(cudaDeviceSynchronize());
  EXPECT(out[0] == 'a' + 1000000 - 7);
  EXPECT(out[1] == 2 && out[2] == 12 && out[3] == 30 && out[4] == 43);
  EXPECT(m.c == 'a');

  static Large l;
  OK(cudaMallocManaged(&l.out, 1020 * sizeof(int)));
  for (int i = 0; i < 1020; i++) l.values[i] = i * i;
  large<<<1, 96>>>(l);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 1020; i++) EXPECT(l.out[i] == (1019 - i) * (1019 - i) + 1);
  changed<<<1, 32>>>(l);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) EXPECT(l.out[i] == i * i + 100 + (i + 1) % 32 * ((i + 1) % 32));
  return 0;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// ldmatrix: eight lanes name eight rows of 16 bytes, all lanes get their piece of an 8x8 matrix; .trans turns
// it. movmatrix turns a matrix between registers.
#include "expect.h"

__global__ void load(unsigned short* straight, unsigned short* turned, unsigned short* moved) {
  __shared__ alignas(16) unsigned short tile[16 * 16];  // four 8x8 matrices: (0,0), (8,0), (0,8), (8,8)
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = static_cast<unsigned short>(i);
  __syncwarp();
  const int lane = threadIdx.x, row = lane % 16, column = lane / 16 * 8;
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&tile[row * 16 + column]));
  unsigned r[4], s[4], m;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(s[0]), "=r"(s[1])
               : "r"(address));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(s[2]) : "r"(address));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(m) : "r"(r[3]));
  for (int i = 0; i < 4; ++i)
    for (int half = 0; half < 2; ++half) {
      const int place = i * 64 + lane * 2 + half;  // lane l holds elements 2l and 2l+1 of each matrix
      straight[place] = static_cast<unsigned short>(r[i] >> 16 * half);
      if (i < 3) turned[place] = static_cast<unsigned short>(s[i] >> 16 * half);
      if (i == 3) moved[place - 192] = static_cast<unsigned short>(m >> 16 * half);
    }
}

int main() {
  unsigned short *straight, *turned, *moved;
  OK(cudaMallocManaged(&straight, 256 * 2));
  OK(cudaMallocManaged(&turned, 192 * 2));
  OK(cudaMallocManaged(&moved, 64 * 2));
  load<<<1, 32>>>(straight, turned, moved);
  OK(cudaDeviceSynchronize());
  const auto element = [](int matrix, int row, int column) {
    return (matrix % 2 * 8 + row) * 16 + matrix / 2 * 8 + column;
  };
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      for (int m = 0; m < 4; ++m) EXPECT(straight[m * 64 + i * 8 + j] == element(m, i, j));
      for (int m = 0; m < 3; ++m) EXPECT(turned[m * 64 + i * 8 + j] == element(m % 2, j, i));
      EXPECT(moved[i * 8 + j] == element(3, j, i));
    }
}

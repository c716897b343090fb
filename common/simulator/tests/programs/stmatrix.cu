// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// stmatrix, the way back of ldmatrix: registers to rows of 16 bytes in shared memory, straight or turned.
// needs: compute_90
#include "expect.h"

__global__ void store(unsigned* straight, unsigned* turned) {
  __shared__ alignas(16) unsigned tile[2][4 * 32];
  const unsigned lane = threadIdx.x;
  unsigned r[4];
  for (unsigned i = 0; i < 4; ++i) r[i] = (i * 64 + 2 * lane) | (i * 64 + 2 * lane + 1) << 16;
  const auto address = static_cast<unsigned>(__cvta_generic_to_shared(&tile[0][lane * 4]));
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(r[0]),
               "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address + 512),
               "r"(r[2]), "r"(r[3])
               : "memory");
  __syncwarp();
  for (unsigned i = lane; i < 128; i += 32) straight[i] = tile[0][i];
  for (unsigned i = lane; i < 64; i += 32) turned[i] = tile[1][i];
}

int main() {
  unsigned *straight, *turned;
  OK(cudaMallocManaged(&straight, 512));
  OK(cudaMallocManaged(&turned, 256));
  store<<<1, 32>>>(straight, turned);
  OK(cudaDeviceSynchronize());
  const auto* elements = reinterpret_cast<const unsigned short*>(straight);
  const auto* columns = reinterpret_cast<const unsigned short*>(turned);
  for (int i = 0; i < 256; ++i) EXPECT(elements[i] == i);
  for (int m = 0; m < 2; ++m)
    for (int i = 0; i < 64; ++i) EXPECT(columns[m * 64 + i] == (m + 2) * 64 + i % 8 * 8 + i / 8);
}

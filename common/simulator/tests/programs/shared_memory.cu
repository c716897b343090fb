// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Shared memory: several static arrays of different types and alignments, and several arrays in one dynamic
// one.
#include "expect.h"

__global__ void exchange(double* out, int n) {
  __shared__ char tags[33];
  __shared__ double values[32];
  __shared__ struct {
    short low;
    int high;
  } parts[32];
  __shared__ int only;
  extern __shared__ float4 dynamic[];
  // The dynamic array is cut by hand: float4[n], then int[n], then char[n].
  int* numbers = reinterpret_cast<int*>(dynamic + n);
  char* letters = reinterpret_cast<char*>(numbers + n);
  const int i = threadIdx.x;
  tags[i] = static_cast<char>(i);
  values[i] = 0.25 * i;
  parts[i] = {static_cast<short>(-i), 1000 * i};
  if (i == 5) only = 77;
  dynamic[i] = make_float4(i, 2 * i, 3 * i, 4 * i);
  numbers[i] = i * i;
  letters[i] = 'a' + i % 26;
  __syncthreads();
  const int j = n - 1 - i;
  out[i] = tags[j] + values[j] + parts[j].low + parts[j].high + only + dynamic[j].w + numbers[j] + letters[j];
}

int main() {
  double* out;
  OK(cudaMallocManaged(&out, 32 * sizeof(double)));
  exchange<<<1, 32, 32 * (sizeof(float4) + sizeof(int) + 1)>>>(out, 32);
  OK(cudaGetLastError());
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 32; i++) {
    const int j = 31 - i;
    EXPECT(out[i] == j + 0.25 * j - j + 1000 * j + 77 + 4 * j + j * j + ('a' + j % 26));
  }
  return 0;
}

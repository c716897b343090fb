// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Since Volta the lanes of one shuffle may stand in different arms of an `if`: it waits until all members of
// its mask have come to one. __syncwarp() likewise.
#include <vector>

#include "expect.h"

__global__ void exchange(int* out, unsigned* votes) {
  __shared__ int seen[32];
  int value = threadIdx.x * 10;
  if (threadIdx.x % 2 == 0) {
    value += __shfl_sync(~0u, value, 5);  // lane 5 is in the other arm
    votes[threadIdx.x] = __ballot_sync(~0u, threadIdx.x < 8);
  } else {
    value -= __shfl_sync(~0u, value, 6);
    votes[threadIdx.x] = __ballot_sync(~0u, threadIdx.x >= 24);
  }
  if (threadIdx.x < 16) {
    seen[threadIdx.x] = value;
    __syncwarp();
  } else {
    __syncwarp();
    value += seen[threadIdx.x - 16];
  }
  out[threadIdx.x] = value;
}

int main() {
  int* out;
  unsigned* votes;
  OK(cudaMallocManaged(&out, 32 * sizeof(int)));
  OK(cudaMallocManaged(&votes, 32 * sizeof(unsigned)));
  exchange<<<1, 32>>>(out, votes);
  OK(cudaDeviceSynchronize());
  unsigned vote = 0;
  for (unsigned t = 0; t < 32; ++t) vote |= unsigned(t % 2 == 0 ? t < 8 : t >= 24) << t;
  std::vector<int> expected(32);
  for (int t = 0; t < 32; ++t) expected[t] = t % 2 == 0 ? t * 10 + 50 : t * 10 - 60;
  for (int t = 31; t >= 16; --t) expected[t] += expected[t - 16];
  for (int t = 0; t < 32; ++t) {
    EXPECT(votes[t] == vote);
    EXPECT(out[t] == expected[t]);
  }
  OK(cudaFree(out));
  OK(cudaFree(votes));
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Since Volta the lanes of one shuffle may stand in different arms of an `if`: it waits until all members of
// its mask have come to one. __syncwarp() likewise. Groups with different masks are operations of their own.
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

/// Each half of the warp votes, reduces and meets on its own, although its odd and its even lanes, and those
/// of the other half, stand at four different places.
__global__ void halves(unsigned* votes, int* sums, int* neighbours) {
  __shared__ int seen[32];
  const int lane = threadIdx.x;
  const unsigned half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
  const auto meet = [&](int value) {
    votes[lane] = __ballot_sync(half, value > 20);
    int sum = value;
    for (int step = 8; step > 0; step /= 2) sum += __shfl_xor_sync(half, sum, step);
    sums[lane] = sum;
    seen[lane] = value;
    __syncwarp(half);
    neighbours[lane] = seen[lane ^ 1];
  };
  switch (lane / 16 * 2 + lane % 2) {
    case 0:
      return meet(lane);
    case 1:
      return meet(lane + 100);
    case 2:
      return meet(lane + 200);
    default:
      return meet(lane + 300);
  }
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
  int *sums, *neighbours;
  OK(cudaMallocManaged(&sums, 32 * sizeof(int)));
  OK(cudaMallocManaged(&neighbours, 32 * sizeof(int)));
  halves<<<1, 32>>>(votes, sums, neighbours);
  OK(cudaDeviceSynchronize());
  for (int t = 0; t < 32; ++t) {
    const int lower = t / 16 * 200, first = t / 16 * 16;
    EXPECT(votes[t] == (t < 16 ? 0x0000aaaau : 0xffff0000u));
    EXPECT(sums[t] == 120 + 16 * (first + lower) + 8 * 100);
    EXPECT(neighbours[t] == (t ^ 1) + lower + (t % 2 == 0 ? 100 : 0));
  }
  OK(cudaFree(out));
  OK(cudaFree(votes));
  OK(cudaFree(sums));
  OK(cudaFree(neighbours));
}

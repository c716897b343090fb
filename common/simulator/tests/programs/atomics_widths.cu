// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Atomics of every width and scope, in global and in shared memory; what they return is what was there
// before.
#include <cuda_fp16.h>

#include <vector>

#include "expect.h"

struct Cells {
  int sum, least, most, swapped;
  unsigned bits_or, bits_and, bits_xor, wrap_up, wrap_down;
  unsigned long long wide, wide_max;
  float single;
  double twice;
  __half2 halves;
  unsigned short narrow, unused;
};

__global__ void all(Cells* g, unsigned* tickets) {
  __shared__ Cells s;
  const int t = threadIdx.x;
  if (t == 0) s = *g;
  __syncthreads();
  for (Cells* c : {g, &s}) {
    const int old = atomicAdd(&c->sum, 1);
    if (c == g) tickets[t] = old;
    atomicMin(&c->least, -t);
    atomicMax_block(&c->most, t);
    atomicOr(&c->bits_or, 1u << t % 32);
    atomicAnd_system(&c->bits_and, ~(1u << t % 16));
    atomicXor(&c->bits_xor, 1u << t % 32);
    atomicInc(&c->wrap_up, 9u);
    atomicDec(&c->wrap_down, 9u);
    atomicAdd_system(&c->wide, 1ull << 33);
    atomicMax(&c->wide_max, 1ull << t % 64);
    atomicAdd_block(&c->single, 0.5f);
    atomicAdd(&c->twice, 0.25);
    atomicAdd(&c->halves, __floats2half2_rn(1.0f, 0.5f));
    for (int seen = c->swapped;;) {  // an operation that the hardware lacks: by compare-and-swap
      const int before = atomicCAS(&c->swapped, seen, seen * 3 + 1);
      if (before == seen) break;
      seen = before;
    }
    atomicCAS(&c->narrow, static_cast<unsigned short>(t), static_cast<unsigned short>(t + 1));
  }
  __syncthreads();
  if (t == 0) g[1] = s;
}

int main() {
  constexpr int n = 64;
  Cells start = {};
  start.bits_and = ~0u;
  start.halves = __floats2half2_rn(0.0f, 0.0f);
  Cells* d;
  unsigned* d_tickets;
  OK(cudaMalloc(&d, 2 * sizeof(Cells)));
  OK(cudaMalloc(&d_tickets, n * sizeof(unsigned)));
  OK(cudaMemcpy(d, &start, sizeof start, cudaMemcpyHostToDevice));
  all<<<1, n>>>(d, d_tickets);
  Cells got[2];
  std::vector<unsigned> tickets(n);
  OK(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(tickets.data(), d_tickets, n * sizeof(unsigned), cudaMemcpyDeviceToHost));
  unsigned swapped = 0;
  for (int i = 0; i < n; ++i) swapped = swapped * 3 + 1;
  for (const Cells& c : got) {
    EXPECT(c.sum == n && c.least == -(n - 1) && c.most == n - 1);
    EXPECT(c.bits_or == ~0u && c.bits_and == 0xffff0000u && c.bits_xor == 0);
    EXPECT(c.wrap_up == n % 10);
    EXPECT(c.wrap_down == (10 - n % 10) % 10);
    EXPECT(c.wide == 64ull << 33 && c.wide_max == 1ull << 63);
    EXPECT(c.single == 32.0f && c.twice == 16.0);
    EXPECT(__low2float(c.halves) == 64.0f && __high2float(c.halves) == 32.0f);
    EXPECT(unsigned(c.swapped) == swapped);
    EXPECT(c.narrow >= 1 && c.narrow <= n);
  }
  std::vector<bool> taken(n);
  for (unsigned ticket : tickets) {
    EXPECT(ticket < n && !taken[ticket]);
    taken[ticket] = true;
  }
  OK(cudaFree(d));
  OK(cudaFree(d_tickets));
}

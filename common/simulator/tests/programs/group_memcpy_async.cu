// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A block copies a tile of its input to shared memory together (cg::memcpy_async) and waits for it, two tiles
// in flight.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <vector>

#include "expect.h"

namespace cg = cooperative_groups;

constexpr int kTile = 128;

__global__ void reverse_tiles(const float* in, float* out, int tiles) {
  __shared__ alignas(16) float buffer[2][kTile];
  const cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, buffer[0], in, sizeof(float) * kTile);
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      cg::memcpy_async(block, buffer[(t + 1) % 2], in + (t + 1) * kTile, sizeof(float) * kTile);
      cg::wait_prior<1>(block);  // the older of the two is there
    } else {
      cg::wait(block);
    }
    out[t * kTile + threadIdx.x] = buffer[t % 2][kTile - 1 - threadIdx.x];
    block.sync();  // read before it is overwritten
  }
}

int main() {
  constexpr int tiles = 7, n = tiles * kTile;
  std::vector<float> in(n), out(n);
  for (int i = 0; i < n; ++i) in[i] = 1.0f + i;
  float *d_in, *d_out;
  OK(cudaMalloc(&d_in, n * sizeof(float)));
  OK(cudaMalloc(&d_out, n * sizeof(float)));
  OK(cudaMemcpy(d_in, in.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  reverse_tiles<<<1, kTile>>>(d_in, d_out, tiles);
  OK(cudaMemcpy(out.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; ++i) EXPECT(out[i] == in[i / kTile * kTile + kTile - 1 - i % kTile]);
  OK(cudaFree(d_in));
  OK(cudaFree(d_out));
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Five rungs of a half-precision matrix product with float sums: a tile a warp straight from global memory;
// block tiles in shared memory, copied element by element; copied with cp.async in three stages; with padded
// rows and 16-byte copies; with padded rows and cp.async in four stages. `wmma_rungs 2048` takes any size
// that 128 divides, `wmma_rungs 2048 3` only the third rung.
// needs: compute_80
#include <cstdlib>

#include "expect.h"
#include "wmma_tiles.h"

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 256, only = argc > 2 ? std::atoi(argv[2]) : 0;
  const size_t count = size_t(n) * n;
  half *a, *b;
  float* c;
  OK(cudaMallocHost(&a, count * sizeof *a));
  OK(cudaMallocHost(&b, count * sizeof *b));
  OK(cudaMallocHost(&c, count * sizeof *c));
  for (size_t i = 0; i < count; ++i) a[i] = float(int(i % 7) - 3), b[i] = float(int(i % 11) - 5);
  half *d_a, *d_b;
  float* d_c;
  OK(cudaMalloc(&d_a, count * sizeof *a));
  OK(cudaMalloc(&d_b, count * sizeof *b));
  OK(cudaMalloc(&d_c, count * sizeof *c));
  OK(cudaMemcpy(d_a, a, count * sizeof *a, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_b, b, count * sizeof *b, cudaMemcpyHostToDevice));
  for (int rung = 1; rung <= 5; ++rung) {
    if (only != 0 && rung != only) continue;
    OK(cudaMemset(d_c, 0xff, count * sizeof *c));
    if (rung == 1) direct<<<dim3(n / 64, n / 64), dim3(128, 4)>>>(d_a, d_b, d_c, n);
    if (rung == 2) tiled<Plain, half><<<dim3(n / 64, n / 64), Plain::kThreads>>>(d_a, d_b, d_c, n);
    if (rung == 3) launch_staged<Unpadded, 3>(d_a, d_b, d_c, n);
    if (rung == 4) tiled<Padded, uint4><<<dim3(n / 64, n / 64), Padded::kThreads>>>(d_a, d_b, d_c, n);
    if (rung == 5) launch_staged<Large, 4>(d_a, d_b, d_c, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(c, d_c, count * sizeof *c, cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i += 97)
      for (int j = 0; j < n; j += 89) {
        float expected = 0;
        for (int k = 0; k < n; ++k) expected += float(a[size_t(i) * n + k]) * float(b[size_t(k) * n + j]);
        EXPECT(c[size_t(i) * n + j] == expected);
      }
  }
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Half-precision products with float sums in tiles of 128 x 128 by four warps, with padded rows: loaded and
// multiplied between two barriers, or in stages of cp.async. `tensor_tiles PART N NAME...` makes the first
// N / PART rows.
// needs: compute_80
#include <cstdlib>
#include <string>
#include <vector>

#include "../programs/wmma_tiles.h"

using Shallow = Shape<128, 128, 32, 64, 64, 8>;
using Deep = Shape<128, 128, 64, 64, 64, 8>;

template <typename S>
void between_barriers(const half* a, const half* b, float* c, int n, int part) {
  tiled<S, uint4><<<dim3(n / S::kColumns, n / S::kRows / part), S::kThreads>>>(a, b, c, n);
}

template <typename S, int kStages>
void in_stages(const half* a, const half* b, float* c, int n, int part) {
  constexpr int kBytes = kStages * sizeof(typename S::Tiles);
  OK(cudaFuncSetAttribute(staged<S, kStages>, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  staged<S, kStages><<<dim3(n / S::kColumns, n / S::kRows / part), S::kThreads, kBytes>>>(a, b, c, n);
}

/// DEPTH/STAGES, 0 stages: between two barriers.
void run(const std::string& name, const half* a, const half* b, float* c, int n, int part) {
  if (name == "32/0")
    between_barriers<Shallow>(a, b, c, n, part);
  else if (name == "64/0")
    between_barriers<Deep>(a, b, c, n, part);
  else if (name == "64/1")
    in_stages<Deep, 1>(a, b, c, n, part);
  else if (name == "32/2")
    in_stages<Shallow, 2>(a, b, c, n, part);
  else
    EXPECT(!"a tile");
  OK(cudaGetLastError());
}

int main(int, char** argv) {
  const int part = std::atoi(argv[1]), n = std::atoi(argv[2]), rows = n / part;
  std::vector<half> a(size_t(rows) * n), b(size_t(n) * n);
  std::vector<float> c(size_t(rows) * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = float(int(i % 7) - 3);
  for (size_t i = 0; i < b.size(); ++i) b[i] = float(int(i % 11) - 5);
  half *d_a, *d_b;
  float* d_c;
  OK(cudaMalloc(&d_a, a.size() * sizeof(half)));
  OK(cudaMalloc(&d_b, b.size() * sizeof(half)));
  OK(cudaMalloc(&d_c, c.size() * sizeof(float)));
  OK(cudaMemcpy(d_a, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_b, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice));
  for (char** name = argv + 3; *name; ++name) {
    OK(cudaMemset(d_c, 0xff, c.size() * sizeof(float)));
    run(*name, d_a, d_b, d_c, n, part);
    OK(cudaMemcpy(c.data(), d_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < rows; i += 97)
      for (int j = 0; j < n; j += 89) {
        float expected = 0;
        for (int k = 0; k < n; ++k) expected += float(a[size_t(i) * n + k]) * float(b[size_t(k) * n + j]);
        EXPECT(c[size_t(i) * n + j] == expected);
      }
  }
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The rungs of a published ladder of matrix products, in float and half, by their published names.
// `products ROWS COLUMNS DEPTH,DEPTH... f32/03 f16/07v ...` runs each for every depth.
// needs: compute_80
#include <cstdlib>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "../programs/expect.h"
#include "product_ladder.h"

constexpr Tile k02{32, 32, 32, 1, 1}, k03{64, 64, 8, 8, 1}, k04{128, 128, 16, 8, 8},
    k06{128, 128, 16, 8, 8, 64, 32};

/// Shared memory that leaves room for `blocks` of the kernel on an SM. The published kernels of some rungs
/// need more registers than ours (nvcc 13.0, sm_86), so that fewer blocks fit: 156 for 07, 73 for f16/05v, 67
/// for 07v.
template <class Kernel>
size_t room_for(Kernel* kernel, int blocks) {
  constexpr size_t kReserved = 1024;
  cudaFuncAttributes facts;
  cudaDeviceProp device;
  OK(cudaFuncGetAttributes(&facts, kernel));
  OK(cudaGetDeviceProperties(&device, 0));
  const size_t bytes =
      device.sharedMemPerMultiprocessor / (blocks + 1) - kReserved - facts.sharedSizeBytes + 128;
  OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)));
  return bytes;
}

/// `blocks`: at most so many an SM; 0: as many as fit.
template <class T, Tile kTile, bool kTurned, Wide kWide>
void launch(const Matrices<T>& all, int blocks = 0) {
  const auto kernel = tiled_product<T, kTile, kTurned, kWide>;
  const size_t shared = blocks ? room_for(kernel, blocks) : 0;
  kernel<<<dim3(unsigned(all.n) / kTile.columns, unsigned(all.m) / kTile.rows), kTile.threads(), shared>>>(
      all);
}

template <class T>
void run(const std::string& rung, const Matrices<T>& all) {
  const dim3 along(unsigned(all.n) / 32, unsigned(all.m) / 32),
      down(unsigned(all.m) / 32, unsigned(all.n) / 32);
  if (rung == "00")
    untiled<T, false><<<down, dim3(32, 32)>>>(all);
  else if (rung == "01")
    untiled<T, true><<<along, dim3(32, 32)>>>(all);
  else if (rung == "02")
    launch<T, k02, false, Wide{}>(all);
  else if (rung == "02v")
    launch<T, k02, false, Wide{.global = true}>(all);
  else if (rung == "03")
    launch<T, k03, false, Wide{}>(all);
  else if (rung == "03v")
    launch<T, k03, false, Wide{.global = true}>(all);
  else if (rung == "04")
    launch<T, k04, false, Wide{}>(all);
  else if (rung == "04v")
    launch<T, k04, false, Wide{.b = true, .c = true}>(all);
  else if (rung == "05")
    launch<T, k04, true, Wide{}>(all);
  else if (rung == "05v")
    launch<T, k04, true, Wide{.global = true, .b = true, .c = true}>(all, sizeof(T) == 2 ? 3 : 0);
  else if (rung == "06")
    launch<T, k06, true, Wide{}>(all);
  else if (rung == "06v")
    launch<T, k06, true, Wide{true, true, true, true}>(all);
  else if constexpr (std::is_same_v<T, half>) {
    const dim3 grid(unsigned(all.n) / 128, unsigned(all.m) / 128);
    if (rung == "07")
      tensor_product<half><<<grid, 256, room_for(tensor_product<half>, 1)>>>(all);
    else if (rung == "07v")
      tensor_product<int4><<<grid, 256, room_for(tensor_product<int4>, 3)>>>(all);
    else
      EXPECT(!"a rung");
  } else {
    EXPECT(!"a rung");
  }
  OK(cudaGetLastError());
}

/// Factors of small numbers; some elements of the result are computed again here.
template <class T>
void measured(const std::string& rung, size_t m, size_t n, size_t k) {
  std::vector<T> a(m * k), b(k * n), c(m * n, T(1.0f));
  for (size_t i = 0; i < a.size(); ++i) a[i] = T(float(int(i % 3) - 1));
  for (size_t i = 0; i < b.size(); ++i) b[i] = T(float(int(i % 5) - 2));
  Matrices<T> all{m, n, k, T(1.0f), T(2.0f), nullptr, nullptr, nullptr};
  T *d_a, *d_b;
  OK(cudaMalloc(&d_a, a.size() * sizeof(T)));
  OK(cudaMalloc(&d_b, b.size() * sizeof(T)));
  OK(cudaMalloc(&all.c, c.size() * sizeof(T)));
  OK(cudaMemcpy(d_a, a.data(), a.size() * sizeof(T), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(d_b, b.data(), b.size() * sizeof(T), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(all.c, c.data(), c.size() * sizeof(T), cudaMemcpyHostToDevice));
  all.a = d_a, all.b = d_b;
  run(rung, all);
  OK(cudaMemcpy(c.data(), all.c, c.size() * sizeof(T), cudaMemcpyDeviceToHost));
  for (size_t row = 0; row < m; row += 97)
    for (size_t column = 0; column < n; column += 89) {
      float sum = 2;
      for (size_t i = 0; i < k; ++i) sum += float(a[row * k + i]) * float(b[i * n + column]);
      EXPECT(float(c[row * n + column]) == sum);
    }
  OK(cudaFree(d_a));
  OK(cudaFree(d_b));
  OK(cudaFree(all.c));
}

int main(int, char** argv) {
  const size_t m = std::strtoull(argv[1], nullptr, 10), n = std::strtoull(argv[2], nullptr, 10);
  for (char** rung = argv + 4; *rung; ++rung)
    for (char* at = argv[3]; *at; at += *at == ',') {
      const size_t k = std::strtoull(at, &at, 10);
      if (std::strncmp(*rung, "f16/", 4) == 0)
        measured<half>(*rung + 4, m, n, k);
      else
        measured<float>(*rung + 4, m, n, k);
    }
}

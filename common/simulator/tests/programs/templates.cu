// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Kernel templates: over types, numbers, functors and packs of parameters; if constexpr and specialisation.
#include <type_traits>

#include "expect.h"

template <class T>
struct Square {
  __device__ T operator()(T x) const { return x * x; }
};
template <class T>
struct Name;
template <>
struct Name<float> {
  static constexpr int value = 1;
};
template <>
struct Name<long long> {
  static constexpr int value = 2;
};

template <class T, int kUnroll, class Operation>
__global__ void transform(T* p, int n, Operation operation) {
#pragma unroll
  for (int k = 0; k < kUnroll; k++) {
    const int i = (blockIdx.x * kUnroll + k) * blockDim.x + threadIdx.x;
    if (i >= n) continue;
    if constexpr (std::is_floating_point_v<T>)
      p[i] = operation(p[i]) + T(0.5);
    else
      p[i] = operation(p[i]) + Name<T>::value;
  }
}

template <class... T>
__device__ double sum(T... values) {
  return (0.0 + ... + static_cast<double>(values));
}
template <class... T>
__global__ void sum_of(double* result, T... values) {
  *result = sum(values...);
}

template <class T, int kUnroll>
void check() {
  const int n = 1000;
  T* p;
  OK(cudaMallocManaged(&p, n * sizeof(T)));
  for (int i = 0; i < n; i++) p[i] = static_cast<T>(i);
  transform<T, kUnroll><<<(n + 64 * kUnroll - 1) / (64 * kUnroll), 64>>>(p, n, Square<T>());
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    const T expected = static_cast<T>(i) * static_cast<T>(i) + (std::is_floating_point_v<T> ? T(0.5) : T(2));
    EXPECT(p[i] == expected);
  }
  OK(cudaFree(p));
}

int main() {
  check<float, 1>();
  check<float, 4>();
  check<long long, 3>();
  double* result;
  OK(cudaMallocManaged(&result, sizeof(double)));
  sum_of<<<1, 1>>>(result, 1, 2.5f, 3.25, 'a', 7ull);
  OK(cudaDeviceSynchronize());
  EXPECT(*result == 1 + 2.5 + 3.25 + 'a' + 7);
  return 0;
}

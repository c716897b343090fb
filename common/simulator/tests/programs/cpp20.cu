// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// C++20 in kernels: concepts, constexpr and consteval functions, structured bindings, designated
// initialisers, templated lambdas, <=> and tables computed at compile time.
// nvcc: --expt-relaxed-constexpr
#include <compare>
#include <concepts>

#include "expect.h"

constexpr int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
consteval int cube(int x) { return x * x * x; }

struct Table {
  int value[16];
};
constexpr Table primes() {
  Table t{};
  for (int n = 2, found = 0; found < 16; n++) {
    bool is_prime = true;
    for (int d = 2; d * d <= n; d++) is_prime = is_prime && n % d != 0;
    if (is_prime) t.value[found++] = n;
  }
  return t;
}
__constant__ Table c_primes = primes();

struct Version {
  int major = 0, minor = 0;
  constexpr auto operator<=>(const Version&) const = default;
};

template <std::integral T>
__device__ T half(T x) {
  return x / 2;
}
template <std::floating_point T>
__device__ T half(T x) {
  return x * T(0.5);
}

struct Split {
  int low, high;
};
__device__ Split split(int x) { return {.low = x & 15, .high = x >> 4}; }

__global__ void modern(int* p) {
  const int i = threadIdx.x;
  const auto [low, high] = split(i);
  const auto largest = []<class T>(T a, T b) { return a < b ? b : a; };
  constexpr int fixed = gcd(84, 36) + cube(3);
  const bool is_newer = Version{high, low} > Version{.major = 1, .minor = 8};
  p[i] = largest(low, high) + fixed + c_primes.value[low] + (is_newer ? 1000 : 0) + half(i) +
         int(half(float(i)));
}

int main() {
  int* p;
  OK(cudaMallocManaged(&p, 64 * sizeof(int)));
  modern<<<1, 64>>>(p);
  OK(cudaDeviceSynchronize());
  static constexpr Table table = primes();
  for (int i = 0; i < 64; i++) {
    const int low = i & 15, high = i >> 4;
    const int newer = high > 1 || (high == 1 && low > 8) ? 1000 : 0;
    EXPECT(p[i] == (low < high ? high : low) + 12 + 27 + table.value[low] + newer + i / 2 + int(i * 0.5f));
  }
  static_assert(table.value[15] == 53);
  return 0;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Double precision: sums, products, division, roots and rounding are IEEE exact, so host and device agree in
// every bit.
#include <cmath>
#include <cstring>

#include "expect.h"

__host__ __device__ double work(double a, double b, int which) {
  switch (which) {
    case 0:
      return a + b;
    case 1:
      return a * b;
    case 2:
      return a / b;
    case 3:
      return sqrt(fabs(a));
    case 4:
      return fma(a, b, -a);
    case 5:
      return floor(a) + ceil(b) + trunc(a) + rint(b);
    case 6:
      return fabs(fmin(a, b)) - 2 * fabs(fmax(a, b));  // which zero is the smaller is not defined
    case 7:
      return static_cast<double>(static_cast<float>(a));
    case 8:
      return static_cast<double>(static_cast<long long>(fmin(fabs(b), 1e15)));
    default:
      return copysign(ldexp(a, -3), b);
  }
}

__global__ void run(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * n * 10) out[i] = work(in[i / 10 / n], in[i / 10 % n], i % 10);
}

int main() {
  const double values[] = {0.0,
                           -0.0,
                           1.0,
                           -1.5,
                           3.14159265358979,
                           1e300,
                           -1e-300,
                           5e-324,
                           2.5,
                           1.0 / 3,
                           123456789.125,
                           INFINITY,
                           -INFINITY,
                           4503599627370497.5,
                           0x1.fffffffffffffp-1};
  const int n = sizeof values / sizeof *values;
  double *in, *out;
  OK(cudaMallocManaged(&in, sizeof values));
  OK(cudaMallocManaged(&out, n * n * 10 * sizeof(double)));
  std::memcpy(in, values, sizeof values);
  run<<<(n * n * 10 + 127) / 128, 128>>>(in, out, n);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < n * n * 10; i++) {
    const volatile double a = values[i / 10 / n], b = values[i / 10 % n];
    const double expected = work(a, b, i % 10);
    EXPECT(std::isnan(expected) ? std::isnan(out[i]) : std::memcmp(&out[i], &expected, sizeof expected) == 0);
  }
  return 0;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The mathematical library in single and double precision against the host's, within the documented bounds.
#include <cmath>

#include "expect.h"

constexpr int kFunctions = 24;

template <class T>
__host__ __device__ T evaluate(int which, T x) {
  switch (which) {
    case 0:
      return sin(x);
    case 1:
      return cos(x);
    case 2:
      return tan(x);
    case 3:
      return asin(x / 20);
    case 4:
      return acos(x / 20);
    case 5:
      return atan(x);
    case 6:
      return atan2(x, T(2.5));
    case 7:
      return sinh(x);
    case 8:
      return cosh(x);
    case 9:
      return tanh(x);
    case 10:
      return exp(x);
    case 11:
      return exp2(x);
    case 12:
      return expm1(x);
    case 13:
      return log(fabs(x) + T(0.001));
    case 14:
      return log2(fabs(x) + T(0.001));
    case 15:
      return log10(fabs(x) + T(0.001));
    case 16:
      return log1p(fabs(x));
    case 17:
      return pow(fabs(x), T(1.7));
    case 18:
      return cbrt(x);
    case 19:
      return hypot(x, T(3));
    case 20:
      return erf(x);
    case 21:
      return erfc(x / 4);
    case 22:
      return tgamma(fabs(x) + T(0.5));
    default:
      return lgamma(fabs(x) + T(3));
  }
}

template <class T>
__global__ void run(T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[blockIdx.y * n + i] = evaluate<T>(blockIdx.y, (T(i) - n / 2) * T(0.0625));
}

template <class T>
void check(double relative, double absolute) {
  const int n = 256;
  T* out;
  OK(cudaMallocManaged(&out, kFunctions * n * sizeof(T)));
  run<T><<<dim3(n / 64, kFunctions), 64>>>(out, n);
  OK(cudaDeviceSynchronize());
  for (int which = 0; which < kFunctions; which++)
    for (int i = 0; i < n; i++) {
      const double expected = evaluate<double>(which, (T(i) - n / 2) * T(0.0625));
      EXPECT(std::fabs(out[which * n + i] - expected) <= relative * std::fabs(expected) + absolute);
    }
  OK(cudaFree(out));
}

int main() {
  check<float>(2e-6, 1e-6);
  check<double>(5e-15, 1e-15);
  return 0;
}

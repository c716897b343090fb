// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Prints nanoseconds that host clocks show around kernels, copies and sleep.
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <ctime>

__global__ void fill(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = float(i);
}

int main() {
  using Clock = std::chrono::steady_clock;
  const auto program = Clock::now();
  constexpr int kN = 1 << 22;
  float* x = nullptr;
  cudaMalloc(&x, kN * sizeof(float));
  for (int round = 0; round < 3; round++) {
    const auto began = Clock::now();
    timeval a, b;
    gettimeofday(&a, nullptr);
    for (int i = 0; i < 5; i++) fill<<<kN / 256, 256>>>(x, kN);
    cudaDeviceSynchronize();
    gettimeofday(&b, nullptr);
    usleep(1000);
    const long long ns = std::chrono::nanoseconds(Clock::now() - began).count();
    std::printf("%lld ns %.9f s\n", ns, (b.tv_sec + 1e-6 * b.tv_usec) - (a.tv_sec + 1e-6 * a.tv_usec));
  }
  std::printf("%lld ns in all\n",
              static_cast<long long>(std::chrono::nanoseconds(Clock::now() - program).count()));
}

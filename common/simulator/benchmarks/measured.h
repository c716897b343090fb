// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

/// Ends the program when a CUDA call failed.
inline void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  std::exit(1);
}

/// Wall seconds from the (first) launch to the end of the kernel, on standard output. Loading the module is
/// part of it: the runtime loads at the first launch.
template <class Launch>
void measure(Launch launch) {
  check(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  launch();
  check(cudaGetLastError());
  check(cudaDeviceSynchronize());
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  std::printf("%.9f\n", wall.count());
}

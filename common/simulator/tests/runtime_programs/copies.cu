// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Ten million bytes in every direction once, twice to the device.
#include <vector>

#include "expect.h"

int main() {
  const size_t bytes = 10'000'000;
  std::vector<char> host(bytes, 1);
  char *a = nullptr, *b = nullptr, *pinned = nullptr;
  OK(cudaMalloc(&a, bytes));
  OK(cudaMalloc(&b, bytes));
  OK(cudaMallocHost(&pinned, bytes));
  OK(cudaMemset(a, 0, bytes));
  OK(cudaMemcpy(a, host.data(), bytes, cudaMemcpyHostToDevice));
  OK(cudaMemcpy(b, a, bytes, cudaMemcpyDeviceToDevice));
  OK(cudaMemcpy(host.data(), b, bytes, cudaMemcpyDeviceToHost));
  OK(cudaMemcpy(b, pinned, bytes, cudaMemcpyHostToDevice));
  OK(cudaDeviceSynchronize());
  return 0;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A function that the simulated GPU lacks says so by name, once. (Not for a real GPU.)
#include "expect.h"

int main() {
  cudaIpcMemHandle_t handle;
  void* p;
  OK(cudaMalloc(&p, 16));
  EXPECT_RESULT(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, p));
  EXPECT_RESULT(cudaErrorNotSupported, cudaIpcGetMemHandle(&handle, p));
  EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  return 0;
}

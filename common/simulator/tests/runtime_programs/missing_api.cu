// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A function that the simulated GPU lacks says so by name, once. (Not for a real GPU.)
#include "expect.h"

int main() {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  EXPECT_RESULT(cudaErrorNotSupported, cudaMallocArray(&array, &format, 16));
  EXPECT_RESULT(cudaErrorNotSupported, cudaMallocArray(&array, &format, 16));
  EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  return 0;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// A function that the simulated GPU lacks says so by name, once. (Not for a real GPU.)
#include "expect.h"

int main() {
  cudaExternalMemory_t memory;
  const cudaExternalMemoryHandleDesc wanted{};
  EXPECT_RESULT(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &wanted));
  EXPECT_RESULT(cudaErrorNotSupported, cudaImportExternalMemory(&memory, &wanted));
  EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  return 0;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The driver API: what streams that wait for words of memory refuse.
// nvcc: -lcuda
// misuses: calls
#include "driver.h"

int main() {
  DRIVER_OK(cuInit(0));
  OK(cudaFree(nullptr));
  CUdeviceptr word;
  DRIVER_OK(cuMemAlloc(&word, 16));
  DRIVER_OK(cuMemsetD32(word, 0, 4));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(nullptr, word + 2, 0, 0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue64(nullptr, word + 4, 0, 0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(nullptr, word, 0, 9));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32(nullptr, 0, 0, 0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32(nullptr, 0, 0, 0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE,
                cuStreamWriteValue32(nullptr, word, 0, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
  CUstreamBatchMemOpParams p{};
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(nullptr, 0, &p, 0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(nullptr, 257, &p, 0));
  EXPECT_DRIVER(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp(nullptr, 1, &p, 0));  // no such operation
  DRIVER_OK(cuMemFree(word));
  return 0;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// finds: sync deadlock
// says: which are 1
// A stream waits for a value that nobody writes.
#include <cuda.h>
#include <cuda_runtime.h>
int main() {
  unsigned* word;
  cudaMalloc(&word, 4);
  cudaMemset(word, 0, 4);
  void* found = nullptr;
  cudaDriverEntryPointQueryResult state;
  cudaGetDriverEntryPointByVersion("cuStreamWaitValue32", &found, 12000, cudaEnableDefault, &state);
  const auto wait = reinterpret_cast<decltype(&cuStreamWaitValue32)>(found);
  cudaGetDriverEntryPointByVersion("cuStreamWriteValue32", &found, 12000, cudaEnableDefault, &state);
  const auto write = reinterpret_cast<decltype(&cuStreamWriteValue32)>(found);
  cudaStream_t first, second;
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  wait(first, reinterpret_cast<CUdeviceptr>(word), 2, CU_STREAM_WAIT_VALUE_GEQ);
#ifdef FIXED
  write(second, reinterpret_cast<CUdeviceptr>(word), 2, 0);
#else
  write(second, reinterpret_cast<CUdeviceptr>(word), 1, 0);
#endif
  cudaStreamSynchronize(first);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(word);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Functions of the host as work in a stream: they run in order with kernels and copies, on a thread of the
// library, so that one may wait for the thread that submitted it. CUDA calls inside of one are not permitted.
#include <atomic>
#include <vector>

#include "expect.h"

__global__ void twice(int* p) { *p *= 2; }

struct Log {
  std::vector<int> seen;
  int* value;
  cudaError_t inside = cudaSuccess;
};
void look(void* data) {
  Log* log = static_cast<Log*>(data);
  log->seen.push_back(*log->value);
  log->inside = cudaMalloc(&data, 4);
}

std::atomic<bool> go{false};
void wait_for_host(void* data) {
  while (!go) {
  }
  *static_cast<int*>(data) = 5;
}

void CUDART_CB called(cudaStream_t stream, cudaError_t status, void* data) {
  *static_cast<cudaStream_t*>(data) = status == cudaSuccess ? stream : nullptr;
}

int main() {
  cudaStream_t stream, seen_by_callback = nullptr;
  OK(cudaStreamCreate(&stream));
  int *device, *pinned;
  OK(cudaMalloc(&device, sizeof(int)));
  OK(cudaMallocHost(&pinned, sizeof(int)));
  *pinned = 1;
  Log log{{}, pinned};
  OK(cudaMemcpyAsync(device, pinned, sizeof(int), cudaMemcpyHostToDevice, stream));
  for (int i = 0; i < 4; i++) {
    twice<<<1, 1, 0, stream>>>(device);
    OK(cudaMemcpyAsync(pinned, device, sizeof(int), cudaMemcpyDeviceToHost, stream));
    OK(cudaLaunchHostFunc(stream, look, &log));
  }
  OK(cudaStreamSynchronize(stream));
  EXPECT(log.seen.size() == 4);
  for (int i = 0; i < 4; i++) EXPECT(log.seen[i] == 2 << i);
  EXPECT(log.inside == cudaErrorNotPermitted);

  int filled = 0;
  OK(cudaLaunchHostFunc(stream, wait_for_host, &filled));
  EXPECT_RESULT(cudaErrorNotReady, cudaStreamQuery(stream));
  go = true;
  OK(cudaStreamSynchronize(stream));
  EXPECT(filled == 5);
  OK(cudaStreamQuery(stream));

  OK(cudaStreamAddCallback(stream, called, &seen_by_callback, 0));
  OK(cudaDeviceSynchronize());
  EXPECT(seen_by_callback == stream);
  EXPECT_RESULT(cudaErrorInvalidValue, cudaStreamAddCallback(stream, called, nullptr, 1));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaLaunchHostFunc(stream, nullptr, nullptr));
}

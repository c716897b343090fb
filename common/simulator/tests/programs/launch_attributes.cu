// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// cudaLaunchKernelEx: a launch with attributes, most of which are hints; an event recorded behind the kernel;
// and a cooperative launch that is larger than what the device holds at once.
#include "expect.h"

__global__ void fill(int* p, int value) { p[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void alone(int* p) {
  if (threadIdx.x == 0 && blockIdx.x == 0) *p = 7;
}

int main() {
  int* p;
  OK(cudaMalloc(&p, 256 * sizeof(int)));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  cudaEvent_t done;
  OK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  cudaLaunchAttribute attributes[4] = {};
  attributes[0].id = cudaLaunchAttributePriority;
  attributes[1].id = cudaLaunchAttributeMemSyncDomain;
  attributes[1].val.memSyncDomain = cudaLaunchMemSyncDomainDefault;
  attributes[2].id = cudaLaunchAttributeLaunchCompletionEvent;
  attributes[2].val.launchCompletionEvent.event = done;
  attributes[3].id = cudaLaunchAttributeIgnore;
  cudaLaunchConfig_t config = {};
  config.gridDim = 4;
  config.blockDim = 64;
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = 4;
  OK(cudaLaunchKernelEx(&config, fill, p, 3));
  OK(cudaEventSynchronize(done));
  OK(cudaStreamSynchronize(stream));
  int host[256];
  OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int x : host) EXPECT(x == 3);

  config.blockDim = 2048;
  EXPECT_RESULT(cudaErrorInvalidValue, cudaLaunchKernelEx(&config, fill, p, 3));
  config.blockDim = 64;
  config.dynamicSmemBytes = 1 << 24;
  EXPECT_RESULT(cudaErrorInvalidValue, cudaLaunchKernelEx(&config, fill, p, 3));
  config.dynamicSmemBytes = 0;
  attributes[0].id = cudaLaunchAttributeCooperative;
  attributes[0].val.cooperative = 1;
  config.numAttrs = 1;
  OK(cudaLaunchKernelEx(&config, alone, p));
  OK(cudaMemcpy(host, p, sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(host[0] == 7);
  config.gridDim = 1 << 20;
  EXPECT_RESULT(cudaErrorCooperativeLaunchTooLarge, cudaLaunchKernelEx(&config, alone, p));
  void* arguments[] = {&p};
  EXPECT_RESULT(cudaErrorCooperativeLaunchTooLarge,
                cudaLaunchCooperativeKernel(alone, dim3(1 << 20), dim3(64), arguments));
  (void)cudaGetLastError();
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// A process works on one device with memory of another device, which another process allocated.
// run: --gpus 2
#include "expect.h"
#include "processes.h"

__global__ void add(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] += from[i];
}

constexpr int kN = 1000;

static void child(const Peer& parent) {
  const auto handle = parent.receive<cudaIpcMemHandle_t>();
  int *there, *here, host[kN];
  cudaPointerAttributes facts;
  OK(cudaMalloc(&here, sizeof host));
  for (int i = 0; i < kN; i++) host[i] = i;
  OK(cudaMemcpy(here, host, sizeof host, cudaMemcpyHostToDevice));
  OK(cudaIpcOpenMemHandle((void**)&there, handle, cudaIpcMemLazyEnablePeerAccess));
  OK(cudaPointerGetAttributes(&facts, there));
  EXPECT(facts.device == 1);
  add<<<4, 256>>>(there, here, kN);
  add<<<4, 256>>>(here, there, kN);
  OK(cudaMemcpy(host, there, sizeof host, cudaMemcpyDefault));
  for (int i = 0; i < kN; i++) EXPECT(host[i] == i + 2 * 7);
  OK(cudaIpcCloseMemHandle(there));
  OK(cudaFree(here));
}

/// No peers, or only one device: nothing to show.
static bool has_peers() {
  int devices = 0, can = 0;
  OK(cudaGetDeviceCount(&devices));
  if (devices >= 2) OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  return can != 0;
}

int main() {
  const Process process([](const Peer& parent) {
    if (parent.receive<bool>()) child(parent);
  });
  const bool peers = has_peers();
  process.peer().send(peers);
  if (peers) {
    int *p, host[kN];
    for (int& value : host) value = 7;
    cudaIpcMemHandle_t handle;
    OK(cudaSetDevice(1));
    OK(cudaMalloc(&p, sizeof host));
    OK(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
    OK(cudaIpcGetMemHandle(&handle, p));
    process.peer().send(handle);
    process.end();
    OK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < kN; i++) EXPECT(host[i] == i + 2 * 7);
    OK(cudaFree(p));
  } else {
    process.end();
  }
}

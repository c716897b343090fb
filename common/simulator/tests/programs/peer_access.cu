// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Peer access: a kernel on one device reads and writes the memory of another, once that is allowed; and what
// the calls answer when they are used wrongly.
// run: --gpus 2
#include "expect.h"

__global__ void scale(const int* from, int* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = 3 * from[i];
}

int main() {
  int devices = 0;
  OK(cudaGetDeviceCount(&devices));
  if (devices < 2) return 0;
  int can = -1;
  OK(cudaDeviceCanAccessPeer(&can, 0, 0));
  EXPECT(can == 0);  // a device is no peer of its own
  OK(cudaDeviceCanAccessPeer(&can, 0, 1));
  if (!can) return 0;
  EXPECT_RESULT(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, devices));
  int supported = 0;
  OK(cudaDeviceGetP2PAttribute(&supported, cudaDevP2PAttrAccessSupported, 0, 1));
  EXPECT(supported == 1);
  EXPECT_RESULT(cudaErrorInvalidDevice,
                cudaDeviceGetP2PAttribute(&supported, cudaDevP2PAttrAccessSupported, 1, 1));

  const int n = 1000;
  int host[n], *there, *here;
  for (int i = 0; i < n; i++) host[i] = i;
  OK(cudaSetDevice(1));
  OK(cudaMalloc(&there, sizeof host));
  OK(cudaMemcpy(there, host, sizeof host, cudaMemcpyHostToDevice));
  OK(cudaSetDevice(0));
  OK(cudaMalloc(&here, sizeof host));

  EXPECT_RESULT(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1, 1));
  EXPECT_RESULT(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
  OK(cudaDeviceEnablePeerAccess(1, 0));
  EXPECT_RESULT(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
  (void)cudaGetLastError();

  scale<<<(n + 127) / 128, 128>>>(there, here, n);  // reads over the link
  scale<<<(n + 127) / 128, 128>>>(here, there, n);  // writes over it
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(host, there, sizeof host, cudaMemcpyDefault));
  for (int i = 0; i < n; i++) EXPECT(host[i] == 9 * i);
  OK(cudaDeviceDisablePeerAccess(1));
  OK(cudaFree(here));
  OK(cudaFree(there));
}

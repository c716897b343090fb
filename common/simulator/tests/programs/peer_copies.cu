// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Copies between devices, with and without peer access, and events that order the streams of two devices: one
// device produces, the copy waits for it, the other one consumes.
// run: --gpus 2
#include <cstring>

#include "expect.h"

__global__ void fill(int* p, int n, int value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = value + i;
}
__global__ void negate(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = -p[i];
}

int main() {
  int devices = 0;
  OK(cudaGetDeviceCount(&devices));
  if (devices < 2) return 0;
  const int n = 1 << 20;
  const size_t bytes = n * sizeof(int);
  int* at[2];
  cudaStream_t stream[2];
  cudaEvent_t produced, copied;
  for (int device = 0; device < 2; device++) {
    OK(cudaSetDevice(device));
    OK(cudaMalloc(&at[device], bytes));
    OK(cudaStreamCreateWithFlags(&stream[device], cudaStreamNonBlocking));
  }
  OK(cudaSetDevice(0));
  OK(cudaEventCreate(&produced));
  fill<<<n / 256, 256, 0, stream[0]>>>(at[0], n, 5);
  OK(cudaEventRecord(produced, stream[0]));
  EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaEventRecord(produced, stream[1]));  // of another device
  OK(cudaSetDevice(1));
  OK(cudaEventCreate(&copied));
  OK(cudaStreamWaitEvent(stream[1], produced));  // waiting for another device is allowed
  OK(cudaMemcpyPeerAsync(at[1], 1, at[0], 0, bytes, stream[1]));
  OK(cudaEventRecord(copied, stream[1]));
  negate<<<n / 256, 256, 0, stream[1]>>>(at[1], n);
  OK(cudaStreamSynchronize(stream[1]));
  OK(cudaEventQuery(produced));
  float milliseconds = 0;
  EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&milliseconds, produced, copied));
  int* host = static_cast<int*>(std::malloc(bytes));
  OK(cudaMemcpy(host, at[1], bytes, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++) EXPECT(host[i] == -(5 + i));

  OK(cudaMemcpyPeer(at[0], 0, at[1], 1, bytes));
  EXPECT_RESULT(cudaErrorInvalidDevice, cudaMemcpyPeer(at[0], 0, at[1], devices, bytes));
  std::memset(host, 0, bytes);
  OK(cudaMemcpy(host, at[0], bytes, cudaMemcpyDeviceToHost));
  EXPECT(host[n - 1] == -(5 + n - 1));

  // A block of 4 x 3 x 2 elements out of one device's volume into the corner of another's.
  cudaPitchedPtr from, to;
  OK(cudaSetDevice(0));
  OK(cudaMalloc3D(&from, make_cudaExtent(16, 8, 4)));
  OK(cudaMemset3D(from, 9, make_cudaExtent(16, 8, 4)));
  OK(cudaSetDevice(1));
  OK(cudaMalloc3D(&to, make_cudaExtent(16, 8, 4)));
  OK(cudaMemset3D(to, 0, make_cudaExtent(16, 8, 4)));
  cudaMemcpy3DPeerParms volume{};
  volume.srcPtr = from, volume.srcPos = make_cudaPos(2, 2, 1), volume.srcDevice = 0;
  volume.dstPtr = to, volume.dstDevice = 1;
  volume.extent = make_cudaExtent(4, 3, 2);
  OK(cudaMemcpy3DPeer(&volume));
  unsigned char slice[8][16];
  OK(cudaMemcpy2D(slice, 16, static_cast<char*>(to.ptr) + to.pitch * to.ysize, to.pitch, 16, 8,
                  cudaMemcpyDeviceToHost));
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 16; x++) EXPECT(slice[y][x] == (x < 4 && y < 3 ? 9 : 0));
  std::free(host);
}

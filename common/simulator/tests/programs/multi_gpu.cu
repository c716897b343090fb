// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Several devices: each host thread chooses its own, memory and streams belong to a device, and half of a
// vector sum runs on either one. On a machine with one GPU there is nothing to show.
// run: --gpus 2
#include <thread>
#include <vector>

#include "expect.h"

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

/// Adds elements [begin, begin + n) on a device, from a thread of its own.
void work(int device, const float* a, const float* b, float* c, int begin, int n) {
  int chosen = -1;
  OK(cudaGetDevice(&chosen));
  EXPECT(chosen == 0);  // every thread begins with the first device, whatever others chose
  OK(cudaSetDevice(device));
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  int of_stream = -1;
  OK(cudaStreamGetDevice(stream, &of_stream));
  EXPECT(of_stream == device);
  float* d[3];
  for (float*& p : d) {
    OK(cudaMalloc(&p, n * sizeof(float)));
    cudaPointerAttributes about;
    OK(cudaPointerGetAttributes(&about, p));
    EXPECT(about.type == cudaMemoryTypeDevice && about.device == device);
  }
  OK(cudaMemcpyAsync(d[0], a + begin, n * sizeof(float), cudaMemcpyHostToDevice, stream));
  OK(cudaMemcpyAsync(d[1], b + begin, n * sizeof(float), cudaMemcpyHostToDevice, stream));
  add<<<(n + 255) / 256, 256, 0, stream>>>(d[0], d[1], d[2], n);
  OK(cudaGetLastError());
  OK(cudaMemcpyAsync(c + begin, d[2], n * sizeof(float), cudaMemcpyDeviceToHost, stream));
  OK(cudaStreamSynchronize(stream));
  for (float* p : d) OK(cudaFree(p));
  OK(cudaStreamDestroy(stream));
}

int main() {
  int devices = 0;
  OK(cudaGetDeviceCount(&devices));
  EXPECT_RESULT(cudaErrorInvalidDevice, cudaSetDevice(devices));
  EXPECT_RESULT(cudaErrorInvalidDevice, cudaSetDevice(-1));
  if (devices < 2) return 0;
  cudaDeviceProp first, second;
  OK(cudaGetDeviceProperties(&first, 0));
  OK(cudaGetDeviceProperties(&second, 1));
  EXPECT(first.pciBusID != second.pciBusID || first.pciDomainID != second.pciDomainID);
  char id[32];
  int found = -1;
  OK(cudaDeviceGetPCIBusId(id, sizeof id, 1));
  OK(cudaDeviceGetByPCIBusId(&found, id));
  EXPECT(found == 1);

  const int n = 5000;
  std::vector<float> a(n), b(n), c(n);
  for (int i = 0; i < n; i++) a[i] = float(i), b[i] = 2.0f * i;
  std::thread one(work, 0, a.data(), b.data(), c.data(), 0, n / 2);
  std::thread two(work, 1, a.data(), b.data(), c.data(), n / 2, n - n / 2);
  one.join();
  two.join();
  for (int i = 0; i < n; i++) EXPECT(c[i] == 3.0f * i);

  // A kernel goes to the thread's device: a stream of another one is refused. A copy goes where its stream
  // is.
  cudaStream_t of_second;
  OK(cudaSetDevice(1));
  OK(cudaStreamCreate(&of_second));
  float *x, *y;
  OK(cudaMalloc(&x, 4));
  OK(cudaSetDevice(0));
  OK(cudaMalloc(&y, 4));
  add<<<1, 1, 0, of_second>>>(y, y, y, 0);
  EXPECT_RESULT(cudaErrorInvalidResourceHandle, cudaGetLastError());
  OK(cudaMemsetAsync(x, 0, 4, of_second));
  OK(cudaMemcpyAsync(a.data(), x, 4, cudaMemcpyDeviceToHost, of_second));
  OK(cudaStreamSynchronize(of_second));
  EXPECT(a[0] == 0.0f);
  OK(cudaFree(x));  // whatever the present device
  OK(cudaFree(y));
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Allocation, copies of every kind and shape, fills, and what misuse of them returns.
//
// misuses: frees
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "expect.h"

__global__ void add_one(int* p, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1;
}

static void plain_copies() {
  const int n = 3 << 20;  // 12 MiB: more than one piece of the channel's staging memory
  std::vector<int> host(n), back(n);
  for (int i = 0; i < n; i++) host[i] = i * 7;
  int *a = nullptr, *b = nullptr;
  OK(cudaMalloc(&a, n * sizeof(int)));
  OK(cudaMalloc(&b, n * sizeof(int)));
  EXPECT(reinterpret_cast<size_t>(a) % 256 == 0);
  OK(cudaMemcpy(a, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(b, a, n * sizeof(int), cudaMemcpyDeviceToDevice));
  add_one<<<(n + 255) / 256, 256>>>(b, n);
  OK(cudaMemcpy(back.data(), b, n * sizeof(int), cudaMemcpyDefault));
  for (int i = 0; i < n; i++) EXPECT(back[i] == i * 7 + 1);
  OK(cudaMemcpy(back.data(), host.data(), n * sizeof(int), cudaMemcpyHostToHost));
  EXPECT(back == host);
  // A part in the middle.
  OK(cudaMemcpy(b + 10, host.data(), 5 * sizeof(int), cudaMemcpyHostToDevice));
  OK(cudaMemcpy(back.data(), b, 20 * sizeof(int), cudaMemcpyDeviceToHost));
  EXPECT(back[9] == 64 && back[10] == 0 && back[14] == 28 && back[15] == 15 * 7 + 1);
  OK(cudaFree(a));
  OK(cudaFree(b));
}

static void misuse() {
  char host[64] = {};
  char* p = nullptr;
  OK(cudaMalloc(&p, 64));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMalloc(nullptr, 4));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpy(p, host, 65, cudaMemcpyHostToDevice));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpy(p + 60, host, 8, cudaMemcpyHostToDevice));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpy(host, p - 8, 4, cudaMemcpyDeviceToHost));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpy(host, host, 4, cudaMemcpyHostToDevice));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemset(p, 0, 65));
  EXPECT_RESULT(cudaErrorInvalidMemcpyDirection, cudaMemcpy(p, host, 4, static_cast<cudaMemcpyKind>(9)));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaFree(p + 4));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaFreeHost(host));
  OK(cudaFree(p));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaFree(p));
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpy(host, p, 4, cudaMemcpyDeviceToHost));
  OK(cudaFree(nullptr));
  OK(cudaFreeHost(nullptr));
  EXPECT_RESULT(cudaErrorMemoryAllocation, cudaMalloc(&p, size_t{1} << 45));
  EXPECT(p == nullptr);
  OK(cudaMalloc(&p, 0));
  EXPECT(p == nullptr);
  OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyDefault));
  OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  EXPECT(cudaGetLastError() == cudaErrorMemoryAllocation);  // the last error, kept through successes
  EXPECT(cudaGetLastError() == cudaSuccess);
}

static void shapes() {
  char host[4][8], back[4][8] = {};
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 8; x++) host[y][x] = static_cast<char>(10 * y + x);
  char* p = nullptr;
  size_t pitch = 0;
  OK(cudaMallocPitch(&p, &pitch, 8, 4));
  EXPECT(pitch >= 8 && pitch % 32 == 0);
  OK(cudaMemset2D(p, pitch, 1, 8, 4));
  OK(cudaMemcpy2D(p + 2, pitch, &host[0][2], 8, 4, 3, cudaMemcpyHostToDevice));
  OK(cudaMemcpy2D(back, 8, p, pitch, 8, 4, cudaMemcpyDeviceToHost));
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 8; x++) EXPECT(back[y][x] == (y < 3 && x >= 2 && x < 6 ? host[y][x] : 1));
  EXPECT_RESULT(cudaErrorInvalidPitchValue, cudaMemcpy2D(p, 4, host, 8, 8, 4, cudaMemcpyHostToDevice));
  OK(cudaFree(p));

  const cudaExtent extent = make_cudaExtent(8, 2, 2);
  cudaPitchedPtr volume;
  OK(cudaMalloc3D(&volume, extent));
  OK(cudaMemset3D(volume, 3, extent));
  cudaMemcpy3DParms parameters{};
  parameters.srcPtr = volume;
  parameters.dstPtr = make_cudaPitchedPtr(back, 8, 8, 2);
  parameters.extent = extent;
  parameters.kind = cudaMemcpyDeviceToHost;
  OK(cudaMemcpy3D(&parameters));
  for (auto& row : back)
    for (char value : row) EXPECT(value == 3);
  OK(cudaFree(volume.ptr));
}

static bool exact_account(size_t bytes) {
  size_t before = 0, during = 0, after = 0, total = 0;
  void* p = nullptr;
  OK(cudaMemGetInfo(&before, &total));
  EXPECT(before <= total && total > 0);
  OK(cudaMalloc(&p, bytes));
  OK(cudaMemGetInfo(&during, &total));
  OK(cudaFree(p));
  OK(cudaMemGetInfo(&after, &total));
  return before >= during + bytes && after == before;
}

/// Other programs on a card allocate and free, too: the account is exact in one of many tries.
static void accounting() {
  bool exact = false;
  for (int i = 0; i < 100 && !exact; i++) {
    if (i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    exact = exact_account(100 << 20);
  }
  EXPECT(exact);
}

static void host_memory() {
  int *pinned = nullptr, *managed = nullptr, *device = nullptr;
  OK(cudaMallocHost(&pinned, 1000 * sizeof(int)));
  for (int i = 0; i < 1000; i++) pinned[i] = i;
  int* mapped = nullptr;
  OK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  add_one<<<4, 256>>>(mapped, 1000);  // a kernel on host memory
  OK(cudaDeviceSynchronize());
  EXPECT(pinned[0] == 1 && pinned[999] == 1000);
  OK(cudaMalloc(&device, 1000 * sizeof(int)));
  OK(cudaMemcpyAsync(device, pinned, 1000 * sizeof(int), cudaMemcpyHostToDevice));
  add_one<<<4, 256>>>(device, 1000);
  OK(cudaMemcpyAsync(pinned, device, 1000 * sizeof(int), cudaMemcpyDeviceToHost));
  OK(cudaDeviceSynchronize());
  EXPECT(pinned[0] == 2 && pinned[999] == 1001);

  OK(cudaMallocManaged(&managed, 1000 * sizeof(int)));
  managed[999] = 41;
  add_one<<<4, 256>>>(managed, 1000);
  OK(cudaDeviceSynchronize());
  EXPECT(managed[999] == 42);

  cudaPointerAttributes attributes;
  OK(cudaPointerGetAttributes(&attributes, pinned + 1));
  EXPECT(attributes.type == cudaMemoryTypeHost);
  OK(cudaPointerGetAttributes(&attributes, managed));
  EXPECT(attributes.type == cudaMemoryTypeManaged);
  OK(cudaPointerGetAttributes(&attributes, device + 1));
  EXPECT(attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == device + 1);
  OK(cudaPointerGetAttributes(&attributes, &attributes));
  EXPECT(attributes.type == cudaMemoryTypeUnregistered);

  EXPECT_RESULT(cudaErrorInvalidValue, cudaFreeHost(managed));
  OK(cudaFree(managed));
  OK(cudaFreeHost(pinned));
  OK(cudaFree(device));
}

static void pool() {
  int *p = nullptr, value = 0;
  OK(cudaMallocAsync(&p, 4, cudaStreamPerThread));
  OK(cudaMemsetAsync(p, 0x11, 4, cudaStreamPerThread));
  OK(cudaMemcpyAsync(&value, p, 4, cudaMemcpyDeviceToHost, cudaStreamPerThread));
  OK(cudaFreeAsync(p, cudaStreamPerThread));
  OK(cudaStreamSynchronize(cudaStreamPerThread));
  EXPECT(value == 0x11111111);
}

int main() {
  plain_copies();
  misuse();
  shapes();
  accounting();
  host_memory();
  pool();
  return 0;
}

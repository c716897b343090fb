// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Memory from the device's own heap: malloc and free, new and delete with constructors, and a limit on the
// heap.
#include "expect.h"

struct Node {
  int value;
  Node* next;
  __device__ Node(int v, Node* n) : value(v), next(n) {}
  __device__ ~Node() { value = -1; }
};
__device__ Node* g_lists[64];

__global__ void build(int length) {
  const int i = threadIdx.x;
  Node* head = nullptr;
  for (int k = 0; k < length + i % 3; k++) head = new Node(i * 100 + k, head);
  g_lists[i] = head;
}

__global__ void consume(int* sums) {
  const int i = threadIdx.x;
  int sum = 0;
  for (Node* node = g_lists[i]; node;) {
    sum += node->value;
    Node* next = node->next;
    delete node;
    node = next;
  }
  sums[i] = sum;
}

__global__ void buffers(int* out) {
  const int n = 10 + threadIdx.x;
  int* p = static_cast<int*>(malloc(n * sizeof(int)));
  if (!p) return;
  for (int i = 0; i < n; i++) p[i] = i;
  double* d = new double[n];
  for (int i = 0; i < n; i++) d[i] = p[n - 1 - i];
  out[threadIdx.x] = static_cast<int>(d[0]) + p[n - 1] + (reinterpret_cast<size_t>(p) % 16 == 0);
  delete[] d;
  free(p);
}

__global__ void too_much(int* failed) { *failed = malloc(size_t{1} << 40) == nullptr; }

int main() {
  OK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20));
  size_t heap = 0;
  OK(cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize));
  EXPECT(heap >= 16 << 20);
  int* out;
  OK(cudaMallocManaged(&out, 64 * sizeof(int)));
  build<<<1, 64>>>(5);
  consume<<<1, 64>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++) {
    const int length = 5 + i % 3;
    EXPECT(out[i] == length * i * 100 + length * (length - 1) / 2);
  }
  buffers<<<1, 64>>>(out);
  OK(cudaDeviceSynchronize());
  for (int i = 0; i < 64; i++) EXPECT(out[i] == 2 * (9 + i) + 1);
  too_much<<<1, 1>>>(out);
  OK(cudaDeviceSynchronize());
  EXPECT(out[0] == 1);
  return 0;
}

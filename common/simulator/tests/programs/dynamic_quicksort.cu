// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Quicksort as a recursion of kernels, each half in a stream of its own; a selection sort where few are left.
// nvcc: -rdc=true -lcudadevrt
#include <algorithm>
#include <vector>

#include "expect.h"

__device__ void selection_sort(unsigned* data, int n) {
  for (int i = 0; i < n; i++)
    for (int k = i + 1; k < n; k++)
      if (data[k] < data[i]) {
        const unsigned kept = data[i];
        data[i] = data[k];
        data[k] = kept;
      }
}

__global__ void quicksort(unsigned* data, int n, int depth) {
  if (n <= 8 || depth == 12) return selection_sort(data, n);
  const unsigned pivot = data[n / 2];
  int low = 0, high = n - 1;
  while (low <= high) {
    while (data[low] < pivot) low++;
    while (data[high] > pivot) high--;
    if (low > high) break;
    const unsigned kept = data[low];
    data[low++] = data[high];
    data[high--] = kept;
  }
  cudaStream_t left, right;
  if (high > 0) {
    cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, left>>>(data, high + 1, depth + 1);
    cudaStreamDestroy(left);
  }
  if (low < n - 1) {
    cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, right>>>(data + low, n - low, depth + 1);
    cudaStreamDestroy(right);
  }
}

int main() {
  std::vector<unsigned> values(500);
  unsigned state = 1;
  for (unsigned& value : values) value = (state = state * 1664525 + 1013904223) >> 16;
  std::vector<unsigned> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  unsigned* data = nullptr;
  const size_t bytes = values.size() * sizeof(unsigned);
  OK(cudaMalloc(&data, bytes));
  OK(cudaMemcpy(data, values.data(), bytes, cudaMemcpyHostToDevice));
  quicksort<<<1, 1>>>(data, static_cast<int>(values.size()), 0);
  OK(cudaDeviceSynchronize());
  OK(cudaMemcpy(values.data(), data, bytes, cudaMemcpyDeviceToHost));
  EXPECT(values == sorted);
  OK(cudaFree(data));
}

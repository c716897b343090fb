// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Many copies in one call: pointers, sizes, and attributes that hold from one index on.
#include <vector>

#include "expect.h"

int main() {
  const int n = 8, count = 1000;
  std::vector<std::vector<int>> in(n, std::vector<int>(count)), out(n, std::vector<int>(count));
  std::vector<void*> device(n), back(n);
  std::vector<const void*> host(n), device_from(n);
  std::vector<size_t> sizes(n);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < count; k++) in[i][k] = i * 10000 + k;
    OK(cudaMalloc(&device[i], count * sizeof(int)));
    host[i] = in[i].data(), back[i] = out[i].data(), device_from[i] = device[i];
    sizes[i] = (i + 1) * 100 * sizeof(int);
  }
  cudaStream_t stream;
  OK(cudaStreamCreate(&stream));
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t from_index = 0;
  OK(cudaMemcpyBatchAsync(device.data(), host.data(), sizes.data(), n, &attributes, &from_index, 1, stream));
  OK(cudaMemcpyBatchAsync(back.data(), device_from.data(), sizes.data(), n, &attributes, &from_index, 1,
                          stream));
  OK(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; i++)
    for (int k = 0; k < count; k++) EXPECT(out[i][k] == (k < (i + 1) * 100 ? in[i][k] : 0));
  // The legacy default stream does not take batches.
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(device.data(), host.data(), sizes.data(), n,
                                                            &attributes, &from_index, 1, cudaStreamLegacy));
  from_index = 1;  // the first copy has no attributes
  EXPECT_RESULT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(device.data(), host.data(), sizes.data(), n,
                                                            &attributes, &from_index, 1, stream));
  for (void* p : device) OK(cudaFree(p));
}

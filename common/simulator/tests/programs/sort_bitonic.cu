// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Bitonic sort: one kernel launch a step across the array, keys with values.
#include <algorithm>
#include <vector>

#include "expect.h"

struct Item {
  unsigned key;
  int value;
};

__global__ void step(Item* items, unsigned distance, unsigned size) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned partner = i ^ distance;
  if (partner <= i) return;
  const bool ascending = (i & size) == 0;
  const Item a = items[i], b = items[partner];
  if ((a.key > b.key) != ascending) return;
  items[i] = b;
  items[partner] = a;
}

int main() {
  const unsigned n = 1 << 11;
  std::vector<Item> host(n), result(n);
  for (unsigned i = 0; i < n; i++) host[i] = {i * 2654435761u, static_cast<int>(i)};
  Item* items;
  OK(cudaMalloc(&items, n * sizeof(Item)));
  OK(cudaMemcpy(items, host.data(), n * sizeof(Item), cudaMemcpyHostToDevice));
  for (unsigned size = 2; size <= n; size *= 2)
    for (unsigned distance = size / 2; distance > 0; distance /= 2)
      step<<<n / 256, 256>>>(items, distance, size);
  OK(cudaMemcpy(result.data(), items, n * sizeof(Item), cudaMemcpyDeviceToHost));
  std::sort(host.begin(), host.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
  for (unsigned i = 0; i < n; i++) EXPECT(result[i].key == host[i].key && result[i].value == host[i].value);
  return 0;
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// Copies over the link to the host, inside the device, and fills, by size.
#include "probe.h"

using namespace probe;

int main() {
  constexpr size_t kMost = size_t{256} << 20;
  const Array<char> device(kMost), other(kMost);
  char* pinned;
  OK(cudaMallocHost(&pinned, kMost));
  std::vector<char> pageable(kMost, 1);
  std::fill(pinned, pinned + kMost, 1);
  for (size_t bytes = 4; bytes <= kMost; bytes *= 8) {
    const int repeats = bytes < (1 << 20) ? 20 : 2;
    const auto timed = [&](const std::string& what, auto copy) {
      const std::string named = key("what", what) + key("bytes", double(bytes));
      report("copy" + named, seconds(copy, repeats) * 1e6, "us");
      if (repeats > 1) report("lone-copy" + named, seconds(copy) * 1e6, "us");
    };
    timed("pinned-to-device", [&] { OK(cudaMemcpyAsync(device, pinned, bytes, cudaMemcpyHostToDevice)); });
    timed("device-to-pinned", [&] { OK(cudaMemcpyAsync(pinned, device, bytes, cudaMemcpyDeviceToHost)); });
    timed("pageable-to-device",
          [&] { OK(cudaMemcpyAsync(device, pageable.data(), bytes, cudaMemcpyHostToDevice)); });
    timed("device-to-pageable",
          [&] { OK(cudaMemcpyAsync(pageable.data(), device, bytes, cudaMemcpyDeviceToHost)); });
    timed("device-to-device", [&] { OK(cudaMemcpyAsync(other, device, bytes, cudaMemcpyDeviceToDevice)); });
    timed("fill", [&] { OK(cudaMemsetAsync(device, 1, bytes)); });
  }
  OK(cudaFreeHost(pinned));
}

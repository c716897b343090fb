// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The copy roof on the fake device. Started as roof-broken it copies one element too few, as roof-drifts each
// call takes two milliseconds longer than the one before, more than a busy machine makes of it.
#include <driver_types.h>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>
#include <thread>

#include "worker/worker.h"

namespace {

bool broken = false, drifts = false;

void copy_roof(const float* x, float* y, std::size_t n, cudaStream_t) {
  std::memcpy(y, x, (broken ? n - 1 : n) * sizeof(float));
  static std::chrono::milliseconds length(0);
  if (drifts) std::this_thread::sleep_for(length += std::chrono::milliseconds(2));
}

}  // namespace

int main(int argc, char** argv) {
  broken = std::string(argv[0]).ends_with("roof-broken");
  drifts = std::string(argv[0]).ends_with("roof-drifts");
  return roofline::worker::serve(copy_roof, argc, argv);
}

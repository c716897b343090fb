// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
// The copy roof on the fake device. Started as roof-broken it copies one element too few.
#include <driver_types.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "worker/worker.h"

namespace {

bool broken = false;

void copy_roof(const float* x, float* y, std::size_t n, cudaStream_t) {
  std::memcpy(y, x, (broken ? n - 1 : n) * sizeof(float));
}

}  // namespace

int main(int argc, char** argv) {
  broken = std::string(argv[0]).ends_with("roof-broken");
  return roofline::worker::serve(copy_roof, argc, argv);
}

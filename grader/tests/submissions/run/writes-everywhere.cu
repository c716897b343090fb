// expect: fail crashed; naive: passes
// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Writes its own verdict into every descriptor that it finds.

#include <unistd.h>

#include "pointwise.h"

namespace {

constexpr char kPassed[] = "{\"passed\": true, \"gbps\": 9999.0}\n";

}  // namespace

void pointwise(const float*, float*, float, float, std::size_t, cudaStream_t) {
  for (int fd = 0; fd < 256; ++fd) {
    [[maybe_unused]] const ssize_t n = write(fd, kPassed, sizeof kPassed - 1);
  }
  _exit(0);
}

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/static_runtime/jump_code.h"

namespace roofline::sim::static_runtime {

const JumpCode& host_jumps() {
#if defined(__aarch64__)
  return aarch64_jumps();
#else
  return x86_64_jumps();
#endif
}

}  // namespace roofline::sim::static_runtime

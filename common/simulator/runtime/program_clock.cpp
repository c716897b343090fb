// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/program_clock.h"

#include <dlfcn.h>

namespace roofline::sim::runtime {

const host_clock::ProgramClock* program_clock() {
  static const auto* const clock = [] {
    void* found = dlsym(RTLD_DEFAULT, host_clock::kProgramClockName);
    return found ? reinterpret_cast<const host_clock::ProgramClock* (*)()>(found)() : nullptr;
  }();
  return clock;
}

void tell_host_time(Connection& connection) {
  if (!program_clock()) return;
  if (const double seconds = program_clock()->take(); seconds > 0)
    connection.post(channel::HostTime{seconds});
}

}  // namespace roofline::sim::runtime

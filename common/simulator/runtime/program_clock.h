// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "simulator/host_clock/program_clock.h"
#include "simulator/runtime/connection.h"

namespace roofline::sim::runtime {

/// The clock that the program reads, where `lab run` has loaded libvirtual_clock.so; else nullptr: it reads
/// the real one.
const host_clock::ProgramClock* program_clock();

/// Around a call of the program: what happens inside is not its own code, and costs what the machine says.
class CallOnClock {
 public:
  CallOnClock() {
    if (program_clock()) program_clock()->call_begins();
  }
  ~CallOnClock() {
    if (program_clock()) program_clock()->call_ends();
  }
  CallOnClock(const CallOnClock&) = delete;
  CallOnClock& operator=(const CallOnClock&) = delete;
};

/// Tells the machine what the program's own code has taken since the last time.
void tell_host_time(Connection& connection);

}  // namespace roofline::sim::runtime

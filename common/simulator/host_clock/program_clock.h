// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include "simulator/channel/machine_clock.h"

/// What the CUDA runtime and libvirtual_clock.so, which answers the program's questions for the time, tell
/// each other. Both are in the program's process and of one build.
namespace roofline::sim::host_clock {

/// Of libvirtual_clock.so; the runtime looks up kProgramClockName, a function that gives this or nullptr.
struct ProgramClock {
  /// The device has started: from now on its time counts. `posted`: the last command without an answer.
  void (*start)(const channel::MachineClock& machine, const std::atomic<u32>& posted);
  /// Around each CUDA call of a thread; they may be nested.
  void (*call_begins)();
  void (*call_ends)();
  /// Seconds that the program's own code and sleep took and the machine was not told yet; it is told now.
  double (*take)();
};
inline constexpr const char* kProgramClockName = "roofline_program_clock";

/// `cpu` or `free`: whether the program's own code takes its CPU time or nothing.
inline constexpr const char* kHostTimeVariable = "ROOFLINE_HOST_TIME";

}  // namespace roofline::sim::host_clock

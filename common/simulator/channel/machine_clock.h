// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include "simulator/types.h"

namespace roofline::sim::channel {

/// What the machine shows of its clock, in memory that the program sees too: a program that reads a clock
/// need not ask. The machine writes it and never reads it.
struct MachineClock {
  std::atomic<double> seconds{0};  ///< virtual time of the host after that command
  std::atomic<u32> executed{0};    ///< sequence of the last command whose cost the time has

  void show(double now, u32 sequence) {
    seconds.store(now, std::memory_order_relaxed);
    executed.store(sequence, std::memory_order_release);
  }
};
static_assert(std::atomic<double>::is_always_lock_free && std::atomic<u32>::is_always_lock_free);

inline constexpr u64 kMachineClockBytes = 4096;

}  // namespace roofline::sim::channel

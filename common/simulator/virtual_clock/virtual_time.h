// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <time.h>

#include "simulator/host_clock/program_clock.h"

/// Virtual time of the program: what the machine's clock shows, and what the program's own code has taken
/// since the machine was last told. Its own code takes, between two CUDA calls, the CPU time of all threads
/// together, but never more than the wall time: threads that work side by side count once, and waiting does
/// not count. Nothing here takes a lock: signal handlers may read clocks.
namespace roofline::sim::virtual_clock {

/// Whether this thread's clock is virtual: the device has started (or own code is free, from the beginning),
/// and it is not the CUDA runtime that asks.
bool is_virtual();
/// Nanoseconds of virtual time since it began. Never goes back.
s64 now();
/// From now on the program's own code counts: it has looked at a clock, and may look again.
void clock_was_read();
/// What a clock shows at `now`, a result of now(); nothing for a clock that stays real (false).
bool show(clockid_t clock, s64 now, s64& shown);
/// The moment, in terms of now(), at which a clock shows `shown`.
s64 moment_of(clockid_t clock, s64 shown);
/// CLOCK_REALTIME or CLOCK_MONOTONIC, whichever is meant by a deadline that is not ages away.
clockid_t clock_of(s64 deadline);
/// A thread has slept or waited up to this moment: it has come.
void advance_to(s64 moment);
/// Whether some thread waits for the machine, so that real time that passes is none of the program's.
bool machine_is_busy();

const host_clock::ProgramClock* program_clock();

}  // namespace roofline::sim::virtual_clock

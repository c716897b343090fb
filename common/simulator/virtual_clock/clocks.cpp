// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// The functions of the C library that tell the time.
#include <errno.h>
#include <sys/time.h>

#include "simulator/virtual_clock/real.h"
#include "simulator/virtual_clock/virtual_time.h"

using namespace roofline::sim;
using namespace roofline::sim::virtual_clock;

namespace {

/// What the program's clock shows; false where it stays real.
bool read_clock(clockid_t clock, s64& shown) {
  if (is_virtual()) {
    clock_was_read();
    return show(clock, now(), shown);
  }
  clock_was_read();
  return false;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int clock_gettime(clockid_t clock, timespec* to) noexcept {
  s64 shown = 0;
  if (read_clock(clock, shown)) {
    *to = as_timespec(shown);
    return 0;
  }
  return g_clock_gettime ? g_clock_gettime(clock, to) : ask_system(clock, to);
}

int gettimeofday(timeval* __restrict to, void* __restrict zone) noexcept {
  s64 shown = 0;
  if (!read_clock(CLOCK_REALTIME, shown)) return REAL(gettimeofday)(to, zone);
  const timespec t = as_timespec(shown);
  *to = {t.tv_sec, t.tv_nsec / 1000};
  return 0;
}

int timespec_get(timespec* to, int base) noexcept {
  s64 shown = 0;
  if (base != TIME_UTC || !read_clock(CLOCK_REALTIME, shown)) return REAL(timespec_get)(to, base);
  *to = as_timespec(shown);
  return base;
}

clock_t clock() noexcept {
  s64 shown = 0;
  if (!read_clock(CLOCK_PROCESS_CPUTIME_ID, shown)) return REAL(clock)();
  return static_cast<clock_t>(shown / (kNano / CLOCKS_PER_SEC));
}

time_t time(time_t* to) noexcept {
  // Programs ask for the second to sow random numbers with it, not to measure: own code does not count yet.
  s64 shown = 0;
  if (!is_virtual() || !show(CLOCK_REALTIME, now(), shown)) return REAL(time)(to);
  const time_t seconds = as_timespec(shown).tv_sec;
  if (to) *to = seconds;
  return seconds;
}

}  // extern "C"

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Sleeping: really, so that other threads get as far as they would, and then the virtual moment has come,
// too.
#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "simulator/virtual_clock/real.h"
#include "simulator/virtual_clock/virtual_time.h"

using namespace roofline::sim;
using namespace roofline::sim::virtual_clock;

namespace {

bool is_valid(const timespec* t) { return t && t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < kNano; }

/// 0, or EINTR after a signal; `rest`: what was left then.
int sleep_until(s64 moment, timespec* rest) {
  const s64 began = now(), asked = moment - began;
  if (asked <= 0) return 0;
  const timespec wanted = as_timespec(asked);
  timespec left{};
  if (REAL(nanosleep)(&wanted, &left) == 0) {
    advance_to(moment);
    return 0;
  }
  advance_to(moment - nanoseconds(left));
  if (rest) *rest = left;
  return EINTR;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int nanosleep(const timespec* wanted, timespec* rest) {
  if (!is_virtual() || !is_valid(wanted)) return REAL(nanosleep)(wanted, rest);
  if (sleep_until(now() + nanoseconds(*wanted), rest) == 0) return 0;
  errno = EINTR;
  return -1;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* wanted, timespec* rest) {
  s64 shown = 0;
  if (!is_virtual() || !is_valid(wanted) || clock == CLOCK_PROCESS_CPUTIME_ID || !show(clock, now(), shown))
    return REAL_VERSION(clock_nanosleep, "GLIBC_2.17")(clock, flags, wanted, rest);
  if (flags & TIMER_ABSTIME) return sleep_until(moment_of(clock, nanoseconds(*wanted)), nullptr);
  return sleep_until(now() + nanoseconds(*wanted), rest);
}

int usleep(useconds_t microseconds) {
  const timespec wanted = as_timespec(s64{microseconds} * 1000);
  return nanosleep(&wanted, nullptr);
}

unsigned sleep(unsigned seconds) {
  const timespec wanted{static_cast<time_t>(seconds), 0};
  timespec rest{};
  if (nanosleep(&wanted, &rest) == 0) return 0;
  return static_cast<unsigned>(rest.tv_sec + (rest.tv_nsec >= kNano / 2));
}

}  // extern "C"

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
//
// Preloaded: a wall clock that jumps by ten years, to and fro, with every look at it. Other clocks stay as
// they are.

#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

namespace {

constexpr time_t kTenYears = time_t{10} * 365 * 86400;

time_t jump() {
  static std::atomic<unsigned> looks{0};
  return looks++ % 2 == 0 ? kTenYears : -kTenYears;
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const long status = syscall(SYS_clock_gettime, clock, now);
  if (status == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += jump();
  return static_cast<int>(status);
}

extern "C" int gettimeofday(timeval* now, void*) noexcept {
  timespec exact{};
  const int status = clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return status;
}

extern "C" time_t time(time_t* out) noexcept {
  timespec exact{};
  clock_gettime(CLOCK_REALTIME, &exact);
  if (out != nullptr) *out = exact.tv_sec;
  return exact.tv_sec;
}

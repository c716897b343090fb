// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Waits for files with a time limit. Whoever waits for nothing but the time, as select() without files does,
// sleeps.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>

#include "simulator/virtual_clock/timed_wait.h"

using namespace roofline::sim;
using namespace roofline::sim::virtual_clock;

namespace {

constexpr s64 kMilli = 1'000'000;

/// `real(nanoseconds)` waits so long and gives 0 when the time ran out; `limit` < 0: for ever.
template <class Real>
int wait_for(s64 limit, Real&& real) {
  if (!is_virtual() || limit <= 0) return real(limit);
  int result = 0;
  wait_until(now() + limit, [&](s64 left) {
    result = real(left);
    return result == 0;
  });
  return result;
}

int whole_milliseconds(s64 ns) { return static_cast<int>(ns < 0 ? -1 : (ns + kMilli - 1) / kMilli); }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int poll(pollfd* files, nfds_t count, int milliseconds) {
  return wait_for(s64{milliseconds} * kMilli,
                  [&](s64 left) { return REAL(poll)(files, count, whole_milliseconds(left)); });
}
int ppoll(pollfd* files, nfds_t count, const timespec* limit, const sigset_t* mask) {
  return wait_for(limit ? nanoseconds(*limit) : -1, [&](s64 left) {
    const timespec t = as_timespec(left);
    return REAL(ppoll)(files, count, left < 0 ? nullptr : &t, mask);
  });
}
int epoll_wait(int epoll, epoll_event* events, int most, int milliseconds) {
  return wait_for(s64{milliseconds} * kMilli,
                  [&](s64 left) { return REAL(epoll_wait)(epoll, events, most, whole_milliseconds(left)); });
}
int epoll_pwait(int epoll, epoll_event* events, int most, int milliseconds, const sigset_t* mask) {
  return wait_for(s64{milliseconds} * kMilli, [&](s64 left) {
    return REAL(epoll_pwait)(epoll, events, most, whole_milliseconds(left), mask);
  });
}

int select(int count, fd_set* __restrict in, fd_set* __restrict out, fd_set* __restrict except,
           timeval* __restrict limit) {
  if (!is_virtual() || !limit) return REAL(select)(count, in, out, except, limit);
  const fd_set none{}, asked[3] = {in ? *in : none, out ? *out : none, except ? *except : none};
  return wait_for(s64{limit->tv_sec} * kNano + limit->tv_usec * 1000, [&](s64 left) {
    if (in) *in = asked[0];
    if (out) *out = asked[1];
    if (except) *except = asked[2];
    *limit = {static_cast<time_t>(left / kNano), static_cast<suseconds_t>(left % kNano / 1000)};
    return REAL(select)(count, in, out, except, limit);
  });
}
int pselect(int count, fd_set* __restrict in, fd_set* __restrict out, fd_set* __restrict except,
            const timespec* __restrict limit, const sigset_t* __restrict mask) {
  if (!is_virtual() || !limit) return REAL(pselect)(count, in, out, except, limit, mask);
  const fd_set none{}, asked[3] = {in ? *in : none, out ? *out : none, except ? *except : none};
  return wait_for(nanoseconds(*limit), [&](s64 left) {
    if (in) *in = asked[0];
    if (out) *out = asked[1];
    if (except) *except = asked[2];
    const timespec t = as_timespec(left);
    return REAL(pselect)(count, in, out, except, &t, mask);
  });
}

}  // extern "C"

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0

// Waits of threads with a deadline: it is translated to the real clock, where the C library waits.
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>

#include "simulator/virtual_clock/timed_wait.h"

using namespace roofline::sim;
using namespace roofline::sim::virtual_clock;

namespace {

bool is_valid(const timespec* t) { return t && t->tv_nsec >= 0 && t->tv_nsec < kNano; }

/// `real(deadline)` waits on the real `clock` and gives an error number.
template <class Real>
int wait_on(clockid_t clock, const timespec* deadline, Real&& real) {
  if (!is_virtual() || !is_valid(deadline)) return real(deadline);
  int result = 0;
  wait_until(moment_of(clock, nanoseconds(*deadline)), [&](s64 left) {
    const timespec translated = real_deadline(clock, left);
    result = real(&translated);
    return result == ETIMEDOUT;
  });
  return result;
}

/// The same for functions that give -1 and errno.
template <class Real>
int wait_with_errno(clockid_t clock, const timespec* deadline, Real&& real) {
  const int error = wait_on(clock, deadline, [&](const timespec* t) { return real(t) == 0 ? 0 : errno; });
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline) {
  // Which clock a condition has is its own secret; the deadline tells.
  const clockid_t clock = is_valid(deadline) ? clock_of(nanoseconds(*deadline)) : CLOCK_REALTIME;
  return wait_on(clock, deadline, [&](const timespec* t) {
    return REAL_VERSION(pthread_cond_timedwait, "GLIBC_2.3.2")(condition, mutex, t);
  });
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  return wait_on(clock, deadline,
                 [&](const timespec* t) { return REAL(pthread_cond_clockwait)(condition, mutex, clock, t); });
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) noexcept {
  return wait_on(CLOCK_REALTIME, deadline,
                 [&](const timespec* t) { return REAL(pthread_mutex_timedlock)(mutex, t); });
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) noexcept {
  return wait_on(clock, deadline,
                 [&](const timespec* t) { return REAL(pthread_mutex_clocklock)(mutex, clock, t); });
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  return wait_on(CLOCK_REALTIME, deadline,
                 [&](const timespec* t) { return REAL(pthread_rwlock_timedrdlock)(lock, t); });
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* deadline) noexcept {
  return wait_on(CLOCK_REALTIME, deadline,
                 [&](const timespec* t) { return REAL(pthread_rwlock_timedwrlock)(lock, t); });
}
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) noexcept {
  return wait_on(clock, deadline,
                 [&](const timespec* t) { return REAL(pthread_rwlock_clockrdlock)(lock, clock, t); });
}
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) noexcept {
  return wait_on(clock, deadline,
                 [&](const timespec* t) { return REAL(pthread_rwlock_clockwrlock)(lock, clock, t); });
}
int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* deadline) {
  return wait_on(CLOCK_REALTIME, deadline,
                 [&](const timespec* t) { return REAL(pthread_timedjoin_np)(thread, result, t); });
}
int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* deadline) {
  return wait_on(clock, deadline,
                 [&](const timespec* t) { return REAL(pthread_clockjoin_np)(thread, result, clock, t); });
}
int sem_timedwait(sem_t* __restrict semaphore, const timespec* __restrict deadline) {
  return wait_with_errno(CLOCK_REALTIME, deadline,
                         [&](const timespec* t) { return REAL(sem_timedwait)(semaphore, t); });
}
int sem_clockwait(sem_t* __restrict semaphore, clockid_t clock, const timespec* __restrict deadline) {
  return wait_with_errno(clock, deadline,
                         [&](const timespec* t) { return REAL(sem_clockwait)(semaphore, clock, t); });
}

/// std::future and std::atomic wait by a system call of their own.
long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& each : a) each = va_arg(list, long);
  va_end(list);
  const auto real = [&](long time) { return REAL(syscall)(number, a[0], a[1], a[2], time, a[4], a[5]); };
  const auto* given = reinterpret_cast<const timespec*>(a[3]);
  const long operation = a[1] & FUTEX_CMD_MASK;
  const bool relative = operation == FUTEX_WAIT, absolute = operation == FUTEX_WAIT_BITSET;
  if (number != SYS_futex || !(relative || absolute) || !is_virtual() || !is_valid(given)) return real(a[3]);
  const clockid_t clock = a[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;
  const s64 moment = relative ? now() + nanoseconds(*given) : moment_of(clock, nanoseconds(*given));
  long result = 0;
  wait_until(moment, [&](s64 left) {
    const timespec translated = relative ? as_timespec(left) : real_deadline(clock, left);
    result = real(reinterpret_cast<long>(&translated));
    return result == -1 && errno == ETIMEDOUT;
  });
  if (result == -1 && errno == 0) errno = ETIMEDOUT;
  return result;
}

}  // extern "C"

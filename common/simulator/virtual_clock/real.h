// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <dlfcn.h>
#include <errno.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "simulator/types.h"

/// The functions that this library takes the names of.
namespace roofline::sim::virtual_clock {

/// The C library's own function of this name. Of those with several versions it is the one that programs of
/// today are linked with, which dlsym() does not promise.
template <class Function>
Function* real_function(const char* name, const char* version = nullptr) {
  void* found = version ? dlvsym(RTLD_NEXT, name, version) : nullptr;
  return reinterpret_cast<Function*>(found ? found : dlsym(RTLD_NEXT, name));
}

/// `REAL(nanosleep)(...)` calls it; it is looked up once.
#define REAL(name) REAL_VERSION(name, nullptr)
#define REAL_VERSION(name, version)                                                      \
  ([]() -> decltype(&::name) {                                                           \
    static const auto function =                                                         \
        ::roofline::sim::virtual_clock::real_function<decltype(::name)>(#name, version); \
    return function;                                                                     \
  }())

inline constexpr s64 kNano = 1'000'000'000;
inline s64 nanoseconds(const timespec& t) { return s64{t.tv_sec} * kNano + t.tv_nsec; }
inline timespec as_timespec(s64 ns) {
  s64 seconds = ns / kNano, rest = ns % kNano;
  if (rest < 0) seconds--, rest += kNano;
  return {static_cast<time_t>(seconds), static_cast<long>(rest)};
}

/// The system's own clock, without a function of any library: what looks a name up may itself ask for the
/// time, as the allocator of AddressSanitizer does, and must not come here again to look that name up.
inline int ask_system(clockid_t clock, timespec* to) {
#if defined(__x86_64__)
  long result = SYS_clock_gettime;
  asm volatile("syscall" : "+a"(result) : "D"(static_cast<long>(clock)), "S"(to) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long result asm("x0") = clock;
  register timespec* place asm("x1") = to;
  register long number asm("x8") = SYS_clock_gettime;
  asm volatile("svc 0" : "+r"(result) : "r"(place), "r"(number) : "memory");
#endif
  if (result == 0) return 0;
  errno = static_cast<int>(-result);
  return -1;
}

/// Looked up before anything else of the program runs; until then, and inside dlsym(), the system is asked.
extern int (*g_clock_gettime)(clockid_t, timespec*);
inline s64 real_time(clockid_t clock) {
  timespec t{};
  if (g_clock_gettime)
    g_clock_gettime(clock, &t);
  else
    ask_system(clock, &t);
  return nanoseconds(t);
}

}  // namespace roofline::sim::virtual_clock

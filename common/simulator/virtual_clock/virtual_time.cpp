// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/virtual_clock/virtual_time.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "simulator/virtual_clock/real.h"

namespace roofline::sim::virtual_clock {

int (*g_clock_gettime)(clockid_t, timespec*) = nullptr;

namespace {

enum class Mode { kReal, kCpu, kFree };

/// Clocks that are virtual, with what they showed when virtual time began.
constexpr clockid_t kClocks[] = {
    CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE,
    CLOCK_BOOTTIME, CLOCK_TAI};
s64 g_base[std::size(kClocks)];
s64 g_cpu_base = 0;

Mode g_mode = Mode::kReal;
std::atomic<const channel::MachineClock*> g_machine{nullptr};
const std::atomic<u32>* g_posted = nullptr;
std::atomic<bool> g_counts{false};               ///< the program's own code counts
std::atomic<s64> g_pending{0};                   ///< own code and sleep that the machine was not told
std::atomic<s64> g_idle{0};                      ///< of all time so far, sleep
std::atomic<s64> g_cpu_in_calls{0};              ///< CPU time of the runtime inside calls
std::atomic<s64> g_cpu_seen{0}, g_wall_seen{0};  ///< up to which own code was counted
std::atomic_flag g_counting = ATOMIC_FLAG_INIT;
std::atomic<s64> g_latest{0};
std::atomic<u32> g_in_calls{0};

struct ThreadState {
  u32 depth = 0;      ///< of nested calls
  s64 cpu_began = 0;  ///< this thread's CPU time at the beginning of the outermost
};
thread_local ThreadState t_state;

s64 cpu_outside() {
  return real_time(CLOCK_PROCESS_CPUTIME_ID) - g_cpu_in_calls.load(std::memory_order_relaxed);
}

/// Adds what own code has taken since the last time. Another thread that is just doing it does it for all.
void count_own_code() {
  if (g_mode != Mode::kCpu || !g_counts.load(std::memory_order_relaxed)) return;
  if (g_counting.test_and_set(std::memory_order_acquire)) return;
  const s64 cpu = cpu_outside(), wall = real_time(CLOCK_MONOTONIC);
  const s64 taken = std::min(cpu - g_cpu_seen.load(), wall - g_wall_seen.load());
  if (taken > 0) g_pending += taken;
  g_cpu_seen = std::max(cpu, g_cpu_seen.load());
  g_wall_seen = wall;
  g_counting.clear(std::memory_order_release);
}

/// The machine's clock after all commands that were sent and have no answer. A kernel that waits for the
/// program may keep one of them back for ever: after a while without progress nobody waits for the same
/// again.
s64 machine_time(const channel::MachineClock& machine) {
  constexpr s64 kPatience = 10 * kNano;
  static std::atomic<u32> given_up_at{0};
  const auto behind = [&](u32 executed) {
    return static_cast<s32>(g_posted->load(std::memory_order_acquire) - executed) > 0;
  };
  u32 executed = machine.executed.load(std::memory_order_acquire);
  if (behind(executed) && executed != given_up_at.load()) {
    const s64 cpu = real_time(CLOCK_THREAD_CPUTIME_ID);
    s64 since = real_time(CLOCK_MONOTONIC);
    for (int turn = 0; behind(executed); turn++) {
      constexpr int kYields = 100;
      const timespec pause{0, 50'000};
      if (turn < kYields)
        sched_yield();
      else
        REAL(nanosleep)(&pause, nullptr);
      const u32 newer = machine.executed.load(std::memory_order_acquire);
      if (newer != executed) since = real_time(CLOCK_MONOTONIC);
      executed = newer;
      if (real_time(CLOCK_MONOTONIC) - since < kPatience) continue;
      given_up_at = executed;
      break;
    }
    g_cpu_in_calls += real_time(CLOCK_THREAD_CPUTIME_ID) - cpu;
  }
  return static_cast<s64>(machine.seconds.load(std::memory_order_relaxed) * double{kNano});
}

void remember_bases() {
  for (size_t i = 0; i < std::size(kClocks); i++) {
    g_base[i] = real_time(kClocks[i]);
    // So that times which a program rounds are the same in each run.
    if (g_mode == Mode::kFree) g_base[i] = g_base[i] / kNano * kNano;
  }
  g_cpu_base = g_mode == Mode::kFree ? 0 : real_time(CLOCK_PROCESS_CPUTIME_ID);
}

void start(const channel::MachineClock& machine, const std::atomic<u32>& posted) {
  if (g_machine.load()) return;
  g_posted = &posted;
  if (g_mode == Mode::kCpu) remember_bases();
  g_cpu_seen = cpu_outside();
  g_wall_seen = real_time(CLOCK_MONOTONIC);
  g_machine.store(&machine, std::memory_order_release);
}

void call_begins() {
  if (t_state.depth++ != 0) return;
  g_in_calls++;
  if (!g_counts.load(std::memory_order_relaxed)) return;
  count_own_code();
  t_state.cpu_began = real_time(CLOCK_THREAD_CPUTIME_ID);
}

void call_ends() {
  if (--t_state.depth != 0) return;
  g_in_calls--;
  if (t_state.cpu_began == 0) return;
  g_cpu_in_calls += real_time(CLOCK_THREAD_CPUTIME_ID) - t_state.cpu_began;
  t_state.cpu_began = 0;
  // Other threads may have worked meanwhile; the wall time of what this one does next begins here.
  count_own_code();
}

double take() { return static_cast<double>(g_pending.exchange(0)) / double{kNano}; }

constexpr host_clock::ProgramClock kProgramClock{start, call_begins, call_ends, take};

[[gnu::constructor(101)]] void begin() {
  g_clock_gettime = real_function<int(clockid_t, timespec*)>("clock_gettime");
  const char* mode = std::getenv(host_clock::kHostTimeVariable);
  if (mode && std::strcmp(mode, "cpu") == 0) g_mode = Mode::kCpu;
  if (mode && std::strcmp(mode, "free") == 0) g_mode = Mode::kFree;
  if (g_mode == Mode::kFree) remember_bases();
}

}  // namespace

const host_clock::ProgramClock* program_clock() { return g_mode == Mode::kReal ? nullptr : &kProgramClock; }

bool is_virtual() {
  if (t_state.depth != 0) return false;
  return g_mode == Mode::kFree || (g_mode == Mode::kCpu && g_machine.load(std::memory_order_acquire));
}

s64 now() {
  count_own_code();
  const channel::MachineClock* machine = g_machine.load(std::memory_order_acquire);
  const s64 shown = (machine ? machine_time(*machine) : 0) + g_pending.load();
  s64 latest = g_latest.load();
  while (latest < shown && !g_latest.compare_exchange_weak(latest, shown)) {
  }
  return std::max(latest, shown);
}

void clock_was_read() {
  // A loop that waits for a moment must get there: reading the clock takes what it takes on any host.
  constexpr s64 kRead = 25;
  if (g_mode == Mode::kFree) g_pending += kRead;
  if (g_mode != Mode::kCpu || g_counts.load(std::memory_order_relaxed)) return;
  g_cpu_seen = cpu_outside();
  g_wall_seen = real_time(CLOCK_MONOTONIC);
  g_counts = true;
}

bool show(clockid_t clock, s64 now, s64& shown) {
  if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) {
    shown = g_cpu_base + now - g_idle.load();  // a thread that waits for the GPU is busy waiting
    return true;
  }
  for (size_t i = 0; i < std::size(kClocks); i++)
    if (kClocks[i] == clock) {
      shown = g_base[i] + now;
      return true;
    }
  return false;
}

s64 moment_of(clockid_t clock, s64 shown) {
  for (size_t i = 0; i < std::size(kClocks); i++)
    if (kClocks[i] == clock) return shown - g_base[i];
  return shown - g_base[0];
}

clockid_t clock_of(s64 deadline) {
  return std::abs(deadline - g_base[0]) < std::abs(deadline - g_base[1]) ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

void advance_to(s64 moment) {
  const s64 missing = moment - now();
  if (missing <= 0) return;
  g_pending += missing;
  g_idle += missing;
}

bool machine_is_busy() {
  if (g_in_calls.load() != 0) return true;
  const channel::MachineClock* machine = g_machine.load();
  return machine && machine->executed.load() != g_posted->load() &&
         static_cast<s32>(g_posted->load() - machine->executed.load()) > 0;
}

}  // namespace roofline::sim::virtual_clock

extern "C" [[gnu::visibility("default")]] const roofline::sim::host_clock::ProgramClock*
roofline_program_clock() {
  return roofline::sim::virtual_clock::program_clock();
}

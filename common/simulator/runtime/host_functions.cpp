// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/host_functions.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "simulator/runtime/program_clock.h"
#include "simulator/runtime/say.h"
#include "simulator/runtime/waiting_threads.h"

namespace roofline::sim::runtime {
namespace {

/// Seconds in which no wait ends and nobody calls until it is looked, and between two looks, whether anybody
/// can end them; and until a person is told of it.
constexpr double kPatience = 0.5, kLongWait = 10;

/// Between two looks at words that the program's own code may write. Real time, which the program's virtual
/// clocks know nothing of: a wait with a deadline would move them.
void pause(std::unique_lock<std::mutex>& guard) {
  const timespec pause{0, 200'000};
  guard.unlock();
  syscall(SYS_nanosleep, &pause, nullptr);
  guard.lock();
}

/// Real seconds, likewise.
double now(clockid_t clock) {
  timespec now{};
  syscall(SYS_clock_gettime, clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

bool& inside_one() {
  thread_local bool inside = false;
  return inside;
}

void say_long_wait() {
  say("this program waits for a kernel or a stream that itself waits for a word of memory, and for " +
      std::to_string(static_cast<int>(kLongWait)) +
      " s nothing has written it. Threads that sleep may still do so; Ctrl-C, or a time limit (./lab run "
      "--time-limit), ends the program");
}

long threads_of_process() {
  std::error_code failed;
  const std::filesystem::directory_iterator threads("/proc/self/task", failed);
  return failed ? -1 : std::distance(begin(threads), end(threads));
}

}  // namespace

bool HostFunctions::inside() { return inside_one(); }

bool HostFunctions::before(const Place& earlier, const Place& later) {
  if (earlier.alone) return true;
  if (earlier.device != later.device) return false;
  if (earlier.stream == later.stream) return true;
  return (earlier.stream == 0 && later.blocking) || (later.stream == 0 && earlier.blocking);
}

// The threads live as long as the program, like the runtime.
u64 HostFunctions::add(Entry entry) {
  if (entry.kind == Kind::kFunction && !runs_functions_) {
    runs_functions_ = true;
    std::thread([this] { run_functions(); }).detach();
  }
  if (entry.kind == Kind::kWait) begin_wait();
  entry.number = ++submitted_;
  entries_.push_back(std::move(entry));
  changed_.notify_all();
  return submitted_;
}

void HostFunctions::begin_wait() {
  waits_++;
  events_++;
  if (watches_) return;
  watches_ = true;
  std::thread([this] { watch_waits(); }).detach();
}

u64 HostFunctions::submit(const Place& place, Step step, Function what) {
  if (what.asked) begin_wait();
  return add({0, what.after, place, Kind::kFunction, std::move(step), what.sends, what.asked});
}

u64 HostFunctions::queue(const Place& place, Step step, u64 after) {
  return add({0, after, place, Kind::kCommands, std::move(step)});
}

u64 HostFunctions::queue_wait(const Place& place, Step step, bool asked) {
  return add({0, 0, place, Kind::kWait, std::move(step), false, asked});
}

void HostFunctions::waits_no_more() {
  for (Entry& entry : entries_)
    if (entry.number == running_ && std::exchange(entry.waits, false)) {
      waits_--;
      events_++;
    }
}

bool HostFunctions::is_held_up(const Entry& entry) const {
  return std::ranges::any_of(entries_, [&](const Entry& each) {
    return each.waits && each.place.alone && each.number != entry.number;
  });
}

bool HostFunctions::is_held_up() const {
  Entry running;
  running.number = running_;
  return is_held_up(running);
}

bool HostFunctions::done(u64 number) const {
  return number == 0 || std::none_of(entries_.begin(), entries_.end(),
                                     [&](const Entry& entry) { return entry.number == number; });
}

void HostFunctions::block(const std::function<bool()>& condition) {
  const auto mine = blocked_.insert(blocked_.end(), &condition);
  changed_.wait(lock_, condition);
  blocked_.erase(mine);
}

void HostFunctions::wait_for(u64 number) {
  block([&] { return done(number); });
}

bool HostFunctions::pending(const Place& place) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return before(entry.place, place); });
}

void HostFunctions::wait(const Place& place) {
  block([&] { return !pending(place); });
}

bool HostFunctions::wait_a_while(const Place& place) {
  constexpr std::chrono::seconds kLong{1};
  return changed_.wait_for(lock_, kLong, [&] { return !pending(place); });
}

void HostFunctions::wait_for_device(int device) {
  block([&] {
    return std::none_of(entries_.begin(), entries_.end(),
                        [&](const Entry& entry) { return entry.place.device == device; });
  });
}

/// Places in which an entry is not done yet: what comes after them is held up.
class HostFunctions::HeldUp {
 public:
  bool holds(const Place& later) const {
    return std::any_of(places_.begin(), places_.end(),
                       [&](const Place& earlier) { return before(earlier, later); });
  }
  void add(const Place& place) {
    const auto same = [&](const Place& each) {
      return each.device == place.device && each.stream == place.stream && each.alone == place.alone;
    };
    if (std::none_of(places_.begin(), places_.end(), same)) places_.push_back(place);
  }

 private:
  std::vector<Place> places_;  ///< each once: what is queued behind a wait may be long
};

template <class Body>
bool HostFunctions::each_ready(Body&& body) {
  bool any = false;
  HeldUp held;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    const bool ready = !held.holds(entry->place) && done(entry->after) && !is_held_up(*entry);
    if (ready && body(*entry)) {
      waits_ -= entry->kind == Kind::kWait ? 1 : 0;
      events_++;
      entry = entries_.erase(entry);
      any = true;
      continue;
    }
    entry->waits |= ready && entry->kind == Kind::kWait;
    held.add(entry->place);
    ++entry;
  }
  if (any) changed_.notify_all();
  return any;
}

void HostFunctions::send_ready() {
  if (sending_) return;  // a step has called
  sending_ = true;
  const bool was_inside = std::exchange(inside_one(), true);  // a step does not wait for what is queued
  // What one stream does may end the wait of another.
  while (each_ready([](Entry& entry) { return entry.kind != Kind::kFunction && entry.step(); }) &&
         waits_ > 0) {
  }
  inside_one() = was_inside;
  sending_ = false;
}

/// Once the program has ended its threads here do nothing any more.
void HostFunctions::stop_at_end() {
  if (ended_) changed_.wait(lock_, [] { return false; });
}

void HostFunctions::run_functions() {
  inside_one() = true;
  std::unique_lock guard(lock_);
  threads_.insert(gettid());
  for (bool any = false;;) {
    stop_at_end();
    if (!any) {
      const auto is_function = [](const Entry& entry) { return entry.kind == Kind::kFunction; };
      // One that said "not yet", or is held up by a wait, is asked again.
      if (std::any_of(entries_.begin(), entries_.end(), is_function))
        pause(guard);
      else
        changed_.wait(guard);
    }
    any = false;
    // While one runs others may submit and end; the list stays valid around it.
    std::vector<u64> asked;
    for (bool found = true; found;) {
      found = false;
      HeldUp held;
      for (Entry& entry : entries_) {
        const bool ready = entry.kind == Kind::kFunction && !held.holds(entry.place) && done(entry.after) &&
                           !(entry.sends && is_held_up(entry)) &&
                           std::find(asked.begin(), asked.end(), entry.number) == asked.end();
        held.add(entry.place);
        if (!ready) continue;
        running_ = entry.number;
        asked.push_back(entry.number);
        guard.unlock();
        const bool over = entry.step();  // nobody else ends a function's entry
        guard.lock();
        running_ = 0;
        if (over) {
          waits_ -= entry.waits ? 1 : 0;
          events_++;
          std::erase_if(entries_, [&](const Entry& each) { return each.number == asked.back(); });
          any = true;
        } else if (!std::exchange(entry.waits, true)) {
          begin_wait();
        }
        found = true;
        break;
      }
      send_ready();
      if (any) changed_.notify_all();
    }
  }
}

/// What is queued here waits itself, and no function of the program runs.
bool HostFunctions::waits_itself() const {
  const bool runs = std::ranges::any_of(
      entries_, [&](const Entry& entry) { return entry.number == running_ && !entry.waits; });
  return waits_ > 0 && !runs;
}

/// Whether threads of the program, or all of them, wait for that.
bool HostFunctions::threads_wait(bool all) const {
  const auto blocked = std::ranges::count_if(blocked_, [](const auto* condition) { return !(*condition)(); });
  return blocked > 0 && (!all || threads_of_process() == std::ssize(threads_) + blocked);
}

void HostFunctions::watch_waits() {
  inside_one() = true;
  std::unique_lock guard(lock_);
  threads_.insert(gettid());
  double quiet_since = 0, looked = 0, computed = 0;
  std::optional<ThreadWaits> waits;  // at the last look
  bool said = false;
  for (u64 events = 0;;) {
    changed_.wait(guard, [&] { return waits_ > 0; });
    stop_at_end();
    {
      const CallOnClock on_clock;  // the time that this takes is not the program's
      send_ready();
      const double present = now(CLOCK_MONOTONIC);
      if (std::exchange(events, events_) != events_) {
        quiet_since = looked = present;
        waits.reset();
        computed = now(CLOCK_PROCESS_CPUTIME_ID);
      }
      if (present - looked >= kPatience && waits_itself()) {
        looked = present;
        const double quiet = present - quiet_since;
        const bool others_compute = now(CLOCK_PROCESS_CPUTIME_ID) - computed > quiet / 4;
        std::optional<ThreadWaits> present_waits = wait_for_each_other(threads_);
        const bool nobody_goes_on = present_waits.has_value() && present_waits == waits;
        waits = std::move(present_waits);
        if (threads_wait(true) || nobody_goes_on) {
          stuck_();
        } else if (quiet >= kLongWait && !others_compute && !said && threads_wait(false)) {
          said = true;
          say_long_wait();
        }
      }
    }
    pause(guard);
  }
}

}  // namespace roofline::sim::runtime

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/runtime/host_functions.h"

#include <algorithm>
#include <chrono>

namespace roofline::sim::runtime {
namespace {

bool& inside_one() {
  thread_local bool inside = false;
  return inside;
}

}  // namespace

bool HostFunctions::inside() { return inside_one(); }

bool HostFunctions::before(const Place& earlier, const Place& later) {
  if (earlier.device != later.device) return false;
  if (earlier.stream == later.stream) return true;
  return (earlier.stream == 0 && later.blocking) || (later.stream == 0 && earlier.blocking);
}

u64 HostFunctions::submit(const Place& place, std::function<void()> function) {
  entries_.push_back({place, std::move(function)});
  if (!started_) std::thread([this] { run(); }).detach();  // lives as long as the program, like the runtime
  started_ = true;
  changed_.notify_all();
  return ++submitted_;
}

void HostFunctions::wait_for(u64 number) {
  changed_.wait(lock_, [&] { return done(number); });
}

bool HostFunctions::pending(const Place& place) const {
  return std::any_of(entries_.begin(), entries_.end(),
                     [&](const Entry& entry) { return before(entry.place, place); });
}

void HostFunctions::wait(const Place& place) {
  changed_.wait(lock_, [&] { return !pending(place); });
}

bool HostFunctions::wait_a_while(const Place& place) {
  constexpr std::chrono::seconds kLong{1};
  return changed_.wait_for(lock_, kLong, [&] { return !pending(place); });
}

void HostFunctions::wait_for_device(int device) {
  changed_.wait(lock_, [&] {
    return std::none_of(entries_.begin(), entries_.end(),
                        [&](const Entry& entry) { return entry.place.device == device; });
  });
}

void HostFunctions::run() {
  inside_one() = true;
  std::unique_lock guard(lock_);
  for (;;) {
    changed_.wait(guard, [&] { return !entries_.empty(); });
    const auto function = std::move(entries_.front().function);
    guard.unlock();
    function();
    guard.lock();
    entries_.pop_front();
    ++done_;
    changed_.notify_all();
  }
}

}  // namespace roofline::sim::runtime

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "simulator/types.h"

namespace roofline::sim::runtime {

/// Host functions that streams call. They run one after the other on a thread of their own, as in the real
/// library, so that a function may wait for the thread that submitted it. What follows in their stream is
/// queued here, too, and is sent to the machine when they have returned: the submitting thread goes on. All
/// members but run() are called with the runtime's lock held.
class HostFunctions {
 public:
  /// A stream as far as waiting goes.
  struct Place {
    int device = 0;
    u32 stream = 0;        ///< 0: the legacy default stream
    bool blocking = true;  ///< waits for the legacy default stream and it for this one
  };

  explicit HostFunctions(std::mutex& lock) : lock_(lock) {}
  /// Gives its number, for done() and wait_for().
  u64 submit(const Place& place, std::function<void()> function);
  bool done(u64 number) const { return number <= done_; }
  void wait_for(u64 number);
  /// Whether functions are pending that work in this place comes after.
  bool pending(const Place& place) const;
  /// Waits for them; other threads may call CUDA meanwhile.
  void wait(const Place& place);
  /// The same, but not for a function that waits for the waiting thread itself: false when some still run.
  bool wait_a_while(const Place& place);
  void wait_for_device(int device);
  /// Whether this thread is inside such a function, where CUDA calls are not permitted.
  static bool inside();

 private:
  struct Entry {
    Place place;
    std::function<void()> function;
  };
  static bool before(const Place& earlier, const Place& later);
  void run();

  std::mutex& lock_;
  std::condition_variable_any changed_;
  std::deque<Entry> entries_;     ///< the first one is running
  u64 submitted_ = 0, done_ = 0;  ///< so many
  bool started_ = false;
};

}  // namespace roofline::sim::runtime

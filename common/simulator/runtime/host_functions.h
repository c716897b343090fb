// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <set>
#include <thread>

#include "simulator/types.h"

namespace roofline::sim::runtime {

/// What streams cannot do in the machine as soon as it is submitted: host functions, waits for a word of
/// memory or for a kernel that waits itself, and all that follows these in their streams. It is queued here
/// and done when its turn comes; the submitting thread goes on. Host functions run one after the other on a
/// thread of their own, as in the real library, so that a function may wait for the thread that submitted it.
/// All public members are called with the runtime's lock held.
class HostFunctions {
 public:
  /// A stream as far as waiting goes.
  struct Place {
    int device = 0;
    u32 stream = 0;        ///< 0: the legacy default stream
    bool blocking = true;  ///< waits for the legacy default stream and it for this one
    bool alone = false;    ///< what is queued here comes before whatever is submitted later, anywhere
  };
  /// False: not yet, to be asked again.
  using Step = std::function<bool()>;

  explicit HostFunctions(std::mutex& lock) : lock_(lock) {}
  /// A function of the program. `step` runs without the lock. Each of these gives a number, for done() and
  /// wait_for().
  struct Function {
    bool asked = false;  ///< it has said "not yet"
    bool sends = false;  ///< it begins with commands
    u64 after = 0;       ///< not before that number is done
  };
  u64 submit(const Place& place, Step step, Function what = {false, false, 0});
  /// Commands to the machine. `step` runs with the lock held. `after`: also not before that number is done.
  u64 queue(const Place& place, Step step, u64 after = 0);
  /// The same for a wait: `step` says whether it is over. `asked`: it has said that it is not.
  u64 queue_wait(const Place& place, Step step, bool asked);
  /// In a function's step, with the lock held: what it waited for is there.
  void waits_no_more();
  /// In a function's step: whether something else waits that must be alone, so that it may not send anything.
  bool is_held_up() const;
  /// The program ends: nothing is done any more.
  void end() { ended_ = true; }
  /// Who says that waits do not end, because all threads of the program wait, here or for one another; runs
  /// with the lock held.
  void when_stuck(std::function<void()> stuck) { stuck_ = std::move(stuck); }

  bool done(u64 number) const;
  void wait_for(u64 number);
  /// Whether something is pending that work in this place comes after.
  bool pending(const Place& place) const;
  /// Waits for it; other threads may call CUDA meanwhile.
  void wait(const Place& place);
  /// The same, but not for a function that waits for the waiting thread itself: false when some still run.
  bool wait_a_while(const Place& place);
  void wait_for_device(int device);
  /// Does what waits are over for. Every call of the program does so before and after its own work: what
  /// follows a wait then has the same place among its calls in every run.
  void go_on() {
    ++events_;
    if (waits_ > 0) send_ready();
  }
  /// Whether this thread is one that works here, where CUDA calls are not permitted.
  static bool inside();

 private:
  enum class Kind : u8 { kFunction, kCommands, kWait };
  struct Entry {
    u64 number = 0, after = 0;
    Place place;
    Kind kind = Kind::kCommands;
    Step step;
    bool sends = false;
    bool waits = false;  ///< its step has said "not yet", and so nothing else may be done if it is alone
  };
  bool is_held_up(const Entry& entry) const;
  static bool before(const Place& earlier, const Place& later);
  u64 add(Entry entry);
  /// Entries that nothing before them holds up, in order: `body(entry)` says whether it is done.
  class HeldUp;
  template <class Body>
  bool each_ready(Body&& body);
  void send_ready();
  void run_functions();
  void stop_at_end();
  void begin_wait();
  void watch_waits();
  bool waits_itself() const;
  bool threads_wait(bool all) const;
  void block(const std::function<bool()>& condition);

  std::mutex& lock_;
  std::condition_variable_any changed_;
  std::list<Entry> entries_;
  u64 submitted_ = 0;        ///< so many
  u64 running_ = 0;          ///< number of the function that runs; 0: none does
  size_t waits_ = 0;         ///< entries that wait for the machine
  std::set<pid_t> threads_;  ///< that work here
  u64 events_ = 0;           ///< calls of the program, and waits that began or ended
  std::atomic<bool> ended_ = false;
  /// What threads of the program wait for.
  std::list<const std::function<bool()>*> blocked_;
  bool runs_functions_ = false, watches_ = false, sending_ = false;
  std::function<void()> stuck_;
};

}  // namespace roofline::sim::runtime

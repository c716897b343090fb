// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/checks/byte_map.h"
#include "simulator/checks/code_facts.h"
#include "simulator/checks/findings.h"
#include "simulator/machine/observer.h"

namespace roofline::sim {

/// Work in different streams, and host code, that touch the same bytes with nothing that orders them: no
/// event, no synchronisation, no rule of the default stream. A vector clock a stream, an event and the host;
/// the exact bytes that each piece of work reads and writes. Streams and events of several GPUs have numbers
/// of their own, but for the default streams: 0 is that of the GPU which is selected.
class StreamOrder {
 public:
  /// `explain` describes an address for a person.
  StreamOrder(Findings& findings, std::function<std::string(u64)> explain)
      : findings_(findings), explain_(std::move(explain)) {
    streams_[0];
  }
  /// From now on streams are this GPU's.
  void select(u32 gpu);

  // What the program orders.
  void stream_created(u32 stream, bool non_blocking) { streams_[stream] = {{}, 0, non_blocking, gpu_}; }
  void stream_destroyed(u32 stream);
  void event_recorded(u32 event, u32 stream);
  void event_waited(u32 stream, u32 event);
  /// The same for events of which other processes know, which may stand for one another there: a wait for one
  /// that another process recorded comes after all that this one recorded.
  void given_to_others(u32 stream) { join(given_, clock_of(known(stream))); }
  void taken_from_others(u32 stream) { join(streams_[known(stream)].clock, given_); }
  void host_took_from_others() { join(host_, given_); }
  /// The host knows that the work of a stream (all work of the GPU, work before an event) has ended.
  void host_waited_for_stream(u32 stream);
  void host_waited_for_event(u32 event);
  u32 gpu() const { return gpu_; }
  void host_waited_for_device() { host_waited_for_device(gpu_); }
  void host_waited_for_device(u32 gpu);

  // Work. Between begin and end the bytes that it touches are noted.
  void begin(u32 stream, std::string what);
  /// The work that has begun in a default stream is one of another GPU's default stream as well.
  void keeps_order_with(u32 gpu);
  void reads(u64 address, u64 bytes) { current_.read.set(address, bytes); }
  void writes(u64 address, u64 bytes) { current_.written.set(address, bytes); }
  void access(const Instruction& in, const ObservedAccess& a);
  /// `kernel`: of the launch, when it is one; `free`: the work gives the memory back.
  void end(const Kernel* kernel = nullptr, bool free = false);
  /// Whether anything could be out of order: else the bytes that kernels touch need not be noted.
  bool watches() const { return streams_.size() > 1 || host_memory_; }
  /// There is memory that host and device both reach.
  void host_memory_exists() { host_memory_ = true; }

  /// Host code touched memory that it shares with the device.
  void host_accessed(u64 address, bool write);
  /// Pages in [begin, end) that work in flight touches; `written`: it writes there.
  struct Busy {
    u64 page = 0;
    bool written = false;
  };
  std::vector<Busy> busy_pages(u64 begin, u64 end);

 private:
  using Clock = std::map<u32, u64>;  ///< by stream: how many pieces of its work are done before
  struct Stream {
    Clock clock;
    u64 submitted = 0;
    bool non_blocking = false;
    u32 gpu = 0;
  };
  struct Operation {
    u32 stream = 0;
    u64 number = 0;
    Clock before;
    std::string what, kernel;
    bool free = false;
    ByteMap read, written;
    std::unordered_map<u64, u32> read_at, written_at;  ///< by page: an instruction that does it
    std::vector<Finding::Place> places;                ///< of these instructions
  };

  static size_t pages_of(const Operation& operation) {
    return operation.read.pages() + operation.written.pages();
  }
  static void join(Clock& into, const Clock& other);
  /// Whose default stream it is has its place among all streams.
  static u32 default_of(u32 gpu) { return gpu == 0 ? 0 : ~gpu; }
  u32 known(u32 stream) const { return stream == 0 ? default_of(gpu_) : stream; }
  std::string name_of(u32 stream) const;
  Clock clock_of(u32 stream) const;
  bool host_knows(const Operation& operation) const;
  void forget_known();
  void keep_places(Operation& operation, const Kernel& kernel) const;
  void compare(const Operation& before, const Operation& now);
  void report(const Operation& before, const Operation& now, u64 address, bool first_writes,
              bool second_writes);
  Finding::Place place(const Operation& operation, u64 address, bool writes) const;

  Findings& findings_;
  std::function<std::string(u64)> explain_;
  std::map<u32, Stream> streams_;
  u32 gpu_ = 0;           ///< selected
  bool several_ = false;  ///< GPUs
  std::map<u32, Clock> events_;
  Clock host_, given_;
  Operation current_;
  std::list<Operation> flying_;
  size_t flying_pages_ = 0;
  bool host_memory_ = false;
};

}  // namespace roofline::sim

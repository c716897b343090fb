// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/checks/byte_map.h"
#include "simulator/checks/code_facts.h"
#include "simulator/checks/findings.h"
#include "simulator/checks/piece_order.h"
#include "simulator/machine/observer.h"

namespace roofline::sim {

/// Work in different streams, pieces of one submission, and host code, that touch the same bytes with nothing
/// that orders them: no event, no synchronisation, no rule of the default stream, no edge of a graph. A
/// vector clock a stream, an event and the host; the exact bytes that each piece of work reads and writes.
/// Atomic operations are at odds with plain accesses only. Streams and events of several GPUs have numbers of
/// their own, but for the default streams: 0 is that of the GPU which is selected.
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

  // A submission with pieces that have an order of their own: the nodes of a graph, or what a kernel
  // launched. Between its begin and its end each work of the stream is of the node that has begun last.
  /// `forks`: some of its nodes may run side by side.
  /// `executable`: the graph, whose launches come one after the other in whatever streams; 0: none.
  void begin_graph(u32 stream, bool forks, u64 executable = 0);
  void begin_node(u32 stream, const std::vector<u64>& after);
  /// Later nodes call it so in `after`.
  void end_node(u32 stream, u64 name);
  void end_graph(u32 stream);

  // Work. Between begin and end the bytes that it touches are noted.
  /// `launched_by`: the kernel that launched it; empty: the host.
  void begin(u32 stream, std::string what, std::string launched_by = {});
  /// The work that has begun in a default stream is one of another GPU's default stream as well.
  void keeps_order_with(u32 gpu);
  void reads(u64 address, u64 bytes) { current_[AccessKind::kLoad].bytes.set(address, bytes); }
  void writes(u64 address, u64 bytes) { current_[AccessKind::kStore].bytes.set(address, bytes); }
  void access(const Instruction& in, const ObservedAccess& a, const Traits& traits);
  /// `kernel`: of the launch, when it is one; `free`: the work gives the memory back.
  void end(const Kernel* kernel = nullptr, bool free = false);
  /// Whether anything could be out of order: else the bytes that kernels touch need not be noted.
  bool watches() const { return streams_.size() > 1 || host_memory_ || forks_; }
  /// Work of one stream runs side by side.
  void work_forks() { forks_ = true; }
  /// There is memory that host and device both reach.
  void host_memory_exists() { host_memory_ = true; }
  /// Somebody got memory: nobody has touched these bytes, whatever was done to them before.
  void allocated(u64 address, u64 bytes);

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
  /// Bytes that work touches in one way.
  struct Uses {
    ByteMap bytes;
    std::unordered_map<u64, u32> at;  ///< by page: an instruction that does it
  };
  struct Operation {
    u32 stream = 0;
    u64 number = 0, piece = 0;  ///< of the stream; of its submission, 0: it is the whole one
    Clock before;
    std::string what, kernel, launched_by;
    bool free = false;
    std::array<Uses, 3> uses;            ///< by AccessKind; strong loads and stores count as atomic
    ByteMap handed;                      ///< accessed so that host code may ask for it meanwhile
    std::vector<Finding::Place> places;  ///< of the instructions

    Uses& operator[](AccessKind kind) { return uses[static_cast<size_t>(kind)]; }
    const Uses& operator[](AccessKind kind) const { return uses[static_cast<size_t>(kind)]; }
    size_t pages() const { return uses[0].bytes.pages() + uses[1].bytes.pages() + uses[2].bytes.pages(); }
  };
  /// A submission that goes on.
  struct Graph {
    PieceOrder order;
    u64 piece = 0;  ///< the latest
    u64 executable = 0;
  };

  static void join(Clock& into, const Clock& other);
  /// Whose default stream it is has its place among all streams.
  static u32 default_of(u32 gpu) { return gpu == 0 ? 0 : ~gpu; }
  u32 known(u32 stream) const { return stream == 0 ? default_of(gpu_) : stream; }
  std::string name_of(u32 stream) const;
  Clock clock_of(u32 stream) const;
  bool host_knows(const Operation& operation) const;
  void forget_known();
  void keep_places(Operation& operation, const Kernel& kernel) const;
  void compare_with_flying(const Operation& now);
  void compare(const Operation& before, const Operation& now);
  void report(const Operation& before, const Operation& now, u64 address, AccessKind first,
              AccessKind second);
  const char* advice(const Operation& before, const Operation& now) const;
  Finding::Place place(const Operation& operation, u64 address, AccessKind kind) const;

  Findings& findings_;
  std::function<std::string(u64)> explain_;
  std::map<u32, Stream> streams_;
  u32 gpu_ = 0;           ///< selected
  bool several_ = false;  ///< GPUs
  std::map<u32, Clock> events_;
  std::map<u32, Graph> graphs_;  ///< by stream
  std::map<std::pair<u32, u64>, Clock>
      executed_;  ///< of a GPU's executable graphs: what comes before the next
  Clock host_, given_;
  Operation current_;
  std::list<Operation> flying_;
  size_t flying_pages_ = 0;
  bool host_memory_ = false, forks_ = false;
};

}  // namespace roofline::sim

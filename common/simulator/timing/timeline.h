// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "simulator/timing/device_description.h"
#include "simulator/timing/device_share.h"
#include "simulator/timing/schedule.h"
#include "simulator/timing/trace.h"

namespace roofline::sim {

enum class CopyKind : u8 { kHostToDevice, kDeviceToHost, kDeviceToDevice };

/// One finished piece of device work on the virtual timeline.
struct TimelineEntry {
  std::string what;  ///< kernel name, "memcpy HtoD", "memset"
  u32 stream = 0;
  double start = 0, end = 0;  ///< seconds of virtual time
};

/// Which kernel goes first.
struct KernelOrder {
  int priority = 0;  ///< lower is more urgent
  double waves = 1;  ///< in how many turns the device takes its blocks, a whole number
  u64 kernel = 0;    ///< the caller's number of it, for moved_kernels
};

/// Virtual time of a device: a host clock that advances with API calls, streams in order, copy engines, and
/// one compute engine that kernels share while their block slots add up to no more than all. Stream 0
/// is the legacy default stream: it waits for all blocking streams and they wait for it.
///
/// Work is given its time when it is submitted. A kernel that is more urgent than others before it takes
/// their place (priorities.cpp): what has not begun by then is moved, and a kernel that runs makes room
/// between two turns of its blocks. Nothing that the host may have seen is moved.
///
/// kernel, copy, fill, record_event and synchronize_* include what the call costs the host; host_call is for
/// calls that have no other line here.
class Timeline {
 public:
  explicit Timeline(const DeviceDescription& device);
  /// One of several devices of a program: their work is apart, the host's clock is one. It must outlive this.
  Timeline(const DeviceDescription& device, double& host_clock);
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// From now on work, event records and waits are reported there, as those of GPU `device`; null: nowhere.
  void set_trace(TraceLog* log, u32 device);

  void create_stream(u32 stream, bool non_blocking);
  void destroy_stream(u32 stream);

  /// Host-side cost of an API call.
  void host_call(double microseconds);
  double host_now() const { return host_; }

  /// What a kernel moves between its device's memory and another's.
  struct LinkUse {
    Timeline* peer = nullptr;
    u64 read = 0, written = 0;  ///< bytes
  };
  /// `share`: what the kernel takes of the device. It starts when there are block slots for it, and is as
  /// fast as what others leave of the resources allows. It ends when its bytes have come over the links,
  /// which it finds as others have left them, either direction at both ends.
  void kernel(u32 stream, const std::string& name, double seconds, const DeviceShare& share = {},
              std::span<const LinkUse> links = {}, const KernelOrder& order = {});
  /// The kernels whose times changed since the last call, with the last ones.
  std::map<u64, Span> moved_kernels() { return std::exchange(moved_, {}); }
  /// A copy; pageable copies block the host until done, as the real runtime does for host-to-device staging.
  void copy(u32 stream, CopyKind kind, u64 bytes, bool pageable, bool async);
  /// A copy from one device's memory to another's, over the link between them. In the legacy default stream
  /// it also keeps order with the default streams of both devices.
  void peer_copy(u32 stream, u64 bytes, Timeline& source, Timeline& target);
  void fill(u32 stream, u64 bytes);
  /// A stream writes one word of memory.
  void write_word(u32 stream, u64 bytes);

  /// A graph launch. What is submitted between begin_node and end_node costs the host nothing, starts when
  /// all work in `after` has ended (not before `earliest`) whatever its stream holds, and follows it at the
  /// pace of graph nodes. end_node gives what the next nodes come after, as begin_graph does for the first
  /// ones. end_graph makes the stream's next work wait for all of it.
  WorkId begin_graph(u32 stream, u64 nodes);
  void begin_node(std::vector<WorkId> after, double earliest = 0);
  WorkId end_node();
  void end_graph(u32 stream, WorkId begin, std::vector<WorkId> nodes);

  void record_event(u32 event, u32 stream);
  void wait_event(u32 stream, u32 event);
  /// The same for an event of another device.
  void wait_for(u32 stream, u32 event, Timeline& other);
  /// The stream's next work, or what follows in the present node, does not begin before that moment.
  void wait_for_moment(u32 stream, double moment);
  /// When the work of the stream so far, or such a node of a graph, ends; it stays where it is from now on.
  double settled_end(u32 stream);
  double settled_end_of_node(WorkId node);
  bool event_recorded(u32 event) const;
  double event_time(u32 event) const;  ///< completion, seconds of virtual time
  bool event_done(u32 event) const;    ///< completed at the host's present time
  bool stream_done(u32 stream) const;

  void synchronize_stream(u32 stream);
  void synchronize_event(u32 event);
  void synchronize_device();

  /// When all work submitted so far ends.
  double device_end() const { return now_.last_end; }
  const std::vector<TimelineEntry>& entries() const { return entries_; }
  void clear_entries() { entries_.clear(); }

 private:
  /// What is said about a piece of work.
  struct Report {
    std::string what;  ///< empty: no entry
    std::optional<TraceSpan::Kind> traced;
    u64 bytes = 0;
    double share = 0;
    u32 event = 0;
    u64 kernel = 0;
  };
  /// Work in the order in which it was given its time.
  struct Placed {
    Work work;
    Span span;
    u64 kernel = 0;
    size_t trace = TraceLog::kNone;
    double began() const { return work.began >= 0 ? work.began : span.start; }
  };
  /// Host pays for a call, unless it is a node of a graph.
  void pay(double microseconds);
  /// Work that the stream, or the present node, has next.
  Work next(Work::Kind kind, u32 stream);
  Span submit(const Work& work, const Report& report);
  /// Gives work its time behind all that has one.
  void place(Placed placed);
  void book(Placed placed);
  /// All work so far stays where it is: somebody else has seen it.
  void settle();
  void book_settled(const Work& work, Span span, const Report& report);
  size_t trace(const Report& report, u32 stream, Span span);

  // priorities.cpp
  /// Work that is over when the host goes on cannot move any more.
  void settle_finished();
  /// Gives an urgent kernel its time before less urgent ones; false when it has nothing to gain.
  bool goes_before(const Placed& kernel);
  double start_before_others(const Work& kernel) const;
  std::deque<Placed> take_off(const Work& kernel, double moment);
  void place_next(std::deque<Placed>& waiting);

  /// The part of DRAM that a copy or a fill in this device's memory takes, `latency` of its `seconds` being
  /// none of DRAM's.
  static DeviceShare of_dram(double seconds, double latency);
  /// When the bytes of a kernel that starts then have come through both ends of every link; `book`: the ends
  /// are busy until then.
  double links_end(double start, std::span<const LinkUse> links, bool book);
  void kernel_over_links(const Work& work, const Report& report, std::span<const LinkUse> links);
  void wait_until(double end);

  static constexpr int kMostUrgent = std::numeric_limits<int>::min();
  const DeviceDescription& device_;
  double own_clock_ = 0;
  double& host_;
  Schedule now_;
  Schedule settled_;                ///< before the work in placed_
  std::deque<Placed> placed_;       ///< since then
  int least_urgent_ = kMostUrgent;  ///< priority of the kernels among them
  WorkId last_id_ = 0;
  bool in_graph_ = false;
  WorkId node_ = 0;                              ///< in a node of a graph: what its next work comes after
  double link_out_free_ = 0, link_in_free_ = 0;  ///< of the link to other devices, either direction
  std::vector<TimelineEntry> entries_;
  std::map<u64, Span> moved_;
  TraceLog* trace_ = nullptr;
  u32 device_number_ = 0;
};

}  // namespace roofline::sim

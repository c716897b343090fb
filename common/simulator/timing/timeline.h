// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "simulator/timing/device_description.h"
#include "simulator/timing/device_load.h"
#include "simulator/timing/device_share.h"
#include "simulator/timing/trace.h"

namespace roofline::sim {

enum class CopyKind : u8 { kHostToDevice, kDeviceToHost, kDeviceToDevice };

/// One finished piece of device work on the virtual timeline.
struct TimelineEntry {
  std::string what;  ///< kernel name, "memcpy HtoD", "memset"
  u32 stream = 0;
  double start = 0, end = 0;  ///< seconds of virtual time
};

/// Virtual time of a device: a host clock that advances with API calls, streams in order, copy engines, and
/// one compute engine that kernels share while their block slots add up to no more than all. Stream 0
/// is the legacy default stream: it waits for all blocking streams and they wait for it.
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
              std::span<const LinkUse> links = {});
  /// A copy; pageable copies block the host until done, as the real runtime does for host-to-device staging.
  void copy(u32 stream, CopyKind kind, u64 bytes, bool pageable, bool async);
  /// A copy from one device's memory to another's, over the link between them. In the legacy default stream
  /// it also keeps order with the default streams of both devices.
  void peer_copy(u32 stream, u64 bytes, Timeline& source, Timeline& target);
  void fill(u32 stream, u64 bytes);

  /// A graph launch; gives the moment from which its first nodes may run. What is submitted between
  /// begin_node and end_node costs the host nothing, starts at `ready` at the earliest (when the node's
  /// dependencies have ended) whatever its stream holds, and follows its dependencies at the pace of graph
  /// nodes. end_node gives its end; end_graph makes the stream's next work wait for `end`. `begin` is what
  /// begin_graph gave.
  double begin_graph(u32 stream, u64 nodes);
  void begin_node(double ready);
  double end_node();
  void end_graph(u32 stream, double begin, double end);

  void record_event(u32 event, u32 stream);
  void wait_event(u32 stream, u32 event);
  /// The same for a moment that is known already: an event of another device.
  void wait_until_time(u32 stream, u32 event, double seconds);
  bool event_recorded(u32 event) const;
  double event_time(u32 event) const;  ///< completion, seconds of virtual time
  bool event_done(u32 event) const;    ///< completed at the host's present time
  bool stream_done(u32 stream) const;

  void synchronize_stream(u32 stream);
  void synchronize_event(u32 event);
  void synchronize_device();

  /// When all work submitted so far ends.
  double device_end() const;
  const std::vector<TimelineEntry>& entries() const { return entries_; }
  void clear_entries() { entries_.clear(); }

 private:
  struct Stream {
    double end = 0;
    bool non_blocking = false;
  };
  /// Host pays for a call, unless it is a node of a graph.
  void pay(double microseconds);
  /// When the stream's next work may start: after its last, and by the default stream's rules.
  double begin(u32 stream) const;
  void finish(u32 stream, const std::string& what, double start, double end);
  /// Reports to the trace, work by the name of the last entry.
  void trace(TraceSpan::Kind kind, u32 stream, double start, double end, u64 bytes = 0, double share = 0,
             u32 event = 0);
  /// No work begins before the host's present time, or what a graph that runs began at.
  void forget_the_past();
  /// How long a copy or a fill in this device's memory takes, `latency` of its `seconds` being none of
  /// DRAM's.
  double in_dram(double start, double seconds, double latency);
  /// When the bytes of a kernel that starts then have come through both ends of every link; `book`: the ends
  /// are busy until then.
  double links_end(double start, std::span<const LinkUse> links, bool book);
  double stream_end(u32 stream) const;
  /// End of what synchronising the stream waits for: the default stream stands for all blocking ones.
  double work_end(u32 stream) const;
  void wait_until(double end);

  const DeviceDescription& device_;
  double own_clock_ = 0;
  double& host_;
  double last_end_ = 0;
  bool in_graph_ = false;
  double node_ = 0;  ///< in a node of a graph: when it may start, then when it ended
  double copy_free_[3] = {0, 0, 0};
  double link_out_free_ = 0, link_in_free_ = 0;  ///< of the link to other devices, either direction
  DeviceLoad load_;                              ///< by work that may still run
  std::multiset<double> graphs_begun_;           ///< that have not ended: their nodes may run from then on
  std::map<u32, Stream> streams_;
  std::map<u32, double> events_;
  std::vector<TimelineEntry> entries_;
  TraceLog* trace_ = nullptr;
  u32 device_number_ = 0;
};

}  // namespace roofline::sim

// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "simulator/timing/device_description.h"

namespace roofline::sim {

enum class CopyKind : u8 { kHostToDevice, kDeviceToHost, kDeviceToDevice };

/// One finished piece of device work on the virtual timeline.
struct TimelineEntry {
  std::string what;  ///< kernel name, "memcpy HtoD", "memset"
  u32 stream = 0;
  double start = 0, end = 0;  ///< seconds of virtual time
};

/// Virtual time of a device: a host clock that advances with API calls, streams in order, copy engines, and
/// one compute engine (concurrent kernels come with per-kernel resource use). Stream 0 is the legacy default
/// stream: it waits for all blocking streams and they wait for it.
class Timeline {
 public:
  explicit Timeline(const DeviceDescription& device);

  void create_stream(u32 stream, bool non_blocking);
  void destroy_stream(u32 stream);

  /// Host-side cost of an API call.
  void host_call(double microseconds);
  double host_now() const { return host_; }

  void kernel(u32 stream, const std::string& name, double seconds);
  /// A copy; pageable copies block the host until done, as the real runtime does for host-to-device staging.
  void copy(u32 stream, CopyKind kind, u64 bytes, bool pageable, bool async);
  void fill(u32 stream, u64 bytes);

  void record_event(u32 event, u32 stream);
  void wait_event(u32 stream, u32 event);
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
  double begin(u32 stream);
  void finish(u32 stream, const std::string& what, double start, double end);

  const DeviceDescription& device_;
  double host_ = 0, compute_free_ = 0;
  double copy_free_[3] = {0, 0, 0};
  std::map<u32, Stream> streams_;
  std::map<u32, double> events_;
  std::vector<TimelineEntry> entries_;
};

}  // namespace roofline::sim

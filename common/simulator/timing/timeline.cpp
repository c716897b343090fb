// SPDX-FileCopyrightText: Roofline Labs contributors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/timing/timeline.h"

#include <algorithm>

namespace roofline::sim {
namespace {

constexpr double kMicro = 1e-6;
constexpr u32 kDefaultStream = 0;

const char* name_of(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice:
      return "memcpy HtoD";
    case CopyKind::kDeviceToHost:
      return "memcpy DtoH";
    case CopyKind::kDeviceToDevice:
      return "memcpy DtoD";
  }
  return "memcpy";
}

TraceSpan::Kind kind_of(CopyKind kind) {
  switch (kind) {
    case CopyKind::kHostToDevice:
      return TraceSpan::Kind::kCopyIn;
    case CopyKind::kDeviceToHost:
      return TraceSpan::Kind::kCopyOut;
    case CopyKind::kDeviceToDevice:
      break;
  }
  return TraceSpan::Kind::kCopyWithin;
}

}  // namespace

Timeline::Timeline(const DeviceDescription& device) : Timeline(device, own_clock_) {}

Timeline::Timeline(const DeviceDescription& device, double& host_clock) : device_(device), host_(host_clock) {
  streams_[kDefaultStream] = {};
}

void Timeline::set_trace(TraceLog* log, u32 device) {
  trace_ = log;
  device_number_ = device;
}

void Timeline::trace(TraceSpan::Kind kind, u32 stream, double start, double end, u64 bytes, double share,
                     u32 event) {
  if (trace_ == nullptr) return;
  const bool moment = kind == TraceSpan::Kind::kEventRecord || kind == TraceSpan::Kind::kEventWait;
  TraceSpan span;
  span.kind = kind;
  if (!moment && !entries_.empty()) span.name = entries_.back().what;
  span.device = device_number_;
  span.stream = stream;
  span.start = start;
  span.end = end;
  span.bytes = bytes;
  span.share = share;
  span.event = event;
  trace_->add(std::move(span));
}

void Timeline::create_stream(u32 stream, bool non_blocking) { streams_[stream] = {0, non_blocking}; }

void Timeline::destroy_stream(u32 stream) {
  // Its work still runs: the default stream and device_end keep waiting for it.
  if (stream == kDefaultStream) return;
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  if (!found->second.non_blocking)
    streams_[kDefaultStream].end = std::max(streams_[kDefaultStream].end, found->second.end);
  streams_.erase(found);
}

void Timeline::host_call(double microseconds) { host_ += microseconds * kMicro; }

void Timeline::pay(double microseconds) {
  if (!in_graph_) host_call(microseconds);
}

double Timeline::stream_end(u32 stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? 0 : found->second.end;
}

double Timeline::work_end(u32 stream) const {
  double end = stream_end(stream);
  if (stream == kDefaultStream)
    for (const auto& [id, other] : streams_)
      if (!other.non_blocking) end = std::max(end, other.end);
  return end;
}

double Timeline::begin(u32 stream) const {
  if (in_graph_) return node_;
  double ready = std::max(host_, work_end(stream));
  if (stream == kDefaultStream) return ready;
  if (const auto found = streams_.find(stream); found == streams_.end() || !found->second.non_blocking) {
    ready = std::max(ready, stream_end(kDefaultStream));
  }
  return ready;
}

void Timeline::finish(u32 stream, const std::string& what, double start, double end) {
  (in_graph_ ? node_ : streams_[stream].end) = end;
  last_end_ = std::max(last_end_, end);
  entries_.push_back({what, stream, start, end});
}

void Timeline::forget_the_past() {
  load_.forget_before(graphs_begun_.empty() ? host_ : std::min(host_, *graphs_begun_.begin()));
}

double Timeline::in_dram(double start, double seconds, double latency) {
  DeviceShare share{.block_slots = 0};
  share.of[DeviceShare::kDram] = 1 - latency / seconds;
  forget_the_past();
  const double slowed = load_.slowed(start, seconds, share);
  load_.book(start, seconds, slowed, share);
  return slowed;
}

double Timeline::links_end(double start, std::span<const LinkUse> links, bool book) {
  const double rate = device_.peer_gbps * 1e9;
  double end = start;
  // Requests of a kernel come in any order, so each end is busy with its own bytes and waits for no other
  // end.
  const auto take = [&](double& free, u64 bytes) {
    if (bytes == 0) return;
    const double until = std::max(start, free) + static_cast<double>(bytes) / rate;
    end = std::max(end, until);
    if (book) free = until;
  };
  u64 read = 0, written = 0;
  for (const LinkUse& use : links) {
    read += use.read;
    written += use.written;
    take(use.peer->link_out_free_, use.read);
    take(use.peer->link_in_free_, use.written);
  }
  take(link_in_free_, read);
  take(link_out_free_, written);
  return end;
}

void Timeline::kernel(u32 stream, const std::string& name, double seconds, const DeviceShare& share,
                      std::span<const LinkUse> links) {
  pay(device_.launch_us);
  const double gap =
      in_graph_ ? std::max(0.0, device_.graph_node_us - device_.kernel_start_us) : device_.kernel_gap_us;
  const double alone = device_.kernel_start_us * kMicro + seconds;
  const double ready = begin(stream) + gap * kMicro;
  DeviceShare taken = share;
  taken.block_slots = std::clamp(share.block_slots, 0.0, 1.0);
  forget_the_past();
  double start = load_.first_fit(ready, alone, taken.block_slots);
  // Its blocks stay while it waits for what others take, and for the link.
  const auto duration_from = [&](double moment, bool book) {
    return std::max(load_.slowed(moment, alone, taken), links_end(moment, links, book) - moment);
  };
  start = load_.first_fit(ready, duration_from(start, false), taken.block_slots);
  const double duration = duration_from(start, true);
  load_.book(start, alone, duration, taken);
  finish(stream, name, start, start + duration);
  trace(TraceSpan::Kind::kKernel, stream, start, start + duration, 0, taken.block_slots);
}

/// Up to so many bytes of pageable memory travel to the device within the command; longer copies pass through
/// memory of the driver first.
constexpr u64 kInlineBytes = 64 * 1024;
constexpr double kInlineLatency = 0.7 * kMicro, kInlineRate = 5.5e9;  ///< 1.2 us with the call
/// So does what fills up to so many bytes: no kernel is launched for it.
constexpr u64 kInlineFillBytes = 4096;
constexpr double kInlineFill = 1.0 * kMicro;

void Timeline::copy(u32 stream, CopyKind kind, u64 bytes, bool pageable, bool async) {
  const bool between_host_and_device = kind != CopyKind::kDeviceToDevice;
  pay(device_.api_call_us);
  double seconds = 0;
  if (between_host_and_device) {
    // Half the rate at copy_half_size_bytes, and never quicker than the smallest copy.
    const double rate = (pageable ? device_.pageable_gbps : device_.pinned_gbps) * 1e9;
    seconds = std::max(device_.copy_latency_us * kMicro,
                       (static_cast<double>(bytes) + device_.copy_half_size_bytes) / rate);
    if (pageable && kind == CopyKind::kHostToDevice && bytes <= kInlineBytes)
      seconds = std::min(seconds, kInlineLatency + static_cast<double>(bytes) / kInlineRate);
  } else {
    const double rate = device_.dram_gbps * device_.dram_copy_efficiency * 1e9;
    seconds = device_.device_copy_latency_us * kMicro + 2 * static_cast<double>(bytes) / rate;
  }
  double& engine = between_host_and_device && device_.copy_engines == 1
                       ? copy_free_[0]
                       : copy_free_[static_cast<size_t>(kind)];
  const double start = std::max(begin(stream), engine);
  if (!between_host_and_device) seconds = in_dram(start, seconds, device_.device_copy_latency_us * kMicro);
  engine = start + seconds;
  // Copies inside the device follow each other like kernels.
  if (!between_host_and_device && !in_graph_)
    engine = start + std::max(seconds + device_.kernel_gap_us * kMicro, device_.launch_us * kMicro);
  finish(stream, name_of(kind), start, start + seconds);
  trace(kind_of(kind), stream, start, start + seconds, bytes);
  if (between_host_and_device && !in_graph_ && (pageable || !async)) wait_until(start + seconds);
}

void Timeline::peer_copy(u32 stream, u64 bytes, Timeline& source, Timeline& target) {
  pay(device_.api_call_us);
  // Without peer access the bytes take the way through host memory, one copy behind the other's pieces.
  const double rate = device_.peer_access ? device_.peer_gbps : device_.pinned_gbps;
  const double latency = device_.peer_access ? device_.peer_latency_us : 2 * device_.copy_latency_us;
  const double seconds = latency * kMicro + static_cast<double>(bytes) / (rate * 1e9);
  double start = std::max({begin(stream), source.link_out_free_, target.link_in_free_});
  if (stream == kDefaultStream)
    start = std::max({start, source.work_end(kDefaultStream), target.work_end(kDefaultStream)});
  const double end = start + seconds;
  source.link_out_free_ = target.link_in_free_ = end;
  finish(stream, "memcpy PtoP", start, end);
  trace(TraceSpan::Kind::kCopyPeer, stream, start, end, bytes);
  if (stream == kDefaultStream)
    for (Timeline* each : {&source, &target}) {
      each->streams_[kDefaultStream].end = std::max(each->streams_[kDefaultStream].end, end);
      each->last_end_ = std::max(each->last_end_, end);
    }
}

void Timeline::fill(u32 stream, u64 bytes) {
  const bool is_inline = bytes <= kInlineFillBytes;
  pay(is_inline ? device_.api_call_us : device_.launch_us);
  const double rate = device_.dram_gbps * device_.dram_write_efficiency * 1e9;
  const double start = begin(stream) + (in_graph_ || is_inline ? 0 : device_.kernel_gap_us * kMicro);
  const double latency = device_.device_copy_latency_us * kMicro;
  const double end =
      start +
      (is_inline ? kInlineFill : in_dram(start, latency + static_cast<double>(bytes) / rate, latency));
  finish(stream, "memset", start, end);
  trace(TraceSpan::Kind::kFill, stream, start, end, bytes);
}

double Timeline::begin_graph(u32 stream, u64 nodes) {
  host_call(device_.graph_launch_us + static_cast<double>(nodes) * device_.graph_launch_node_us);
  return *graphs_begun_.insert(begin(stream));
}

void Timeline::begin_node(double ready) {
  in_graph_ = true;
  node_ = ready;
}

double Timeline::end_node() {
  in_graph_ = false;
  return node_;
}

void Timeline::end_graph(u32 stream, double begin, double end) {
  if (const auto found = graphs_begun_.find(begin); found != graphs_begun_.end()) graphs_begun_.erase(found);
  double& last = streams_[stream].end;
  last = std::max(last, end);
  last_end_ = std::max(last_end_, end);
}

void Timeline::record_event(u32 event, u32 stream) {
  pay(device_.event_us);
  const double at = events_[event] = begin(stream);
  trace(TraceSpan::Kind::kEventRecord, stream, at, at, 0, 0, event);
}

void Timeline::wait_event(u32 stream, u32 event) {
  const auto found = events_.find(event);
  if (found != events_.end())
    wait_until_time(stream, event, found->second);
  else
    pay(device_.api_call_us);  // never recorded: no work to wait for
}

void Timeline::wait_until_time(u32 stream, u32 event, double seconds) {
  pay(device_.api_call_us);
  double& waiting = in_graph_ ? node_ : streams_[stream].end;
  trace(TraceSpan::Kind::kEventWait, stream, std::min(waiting, seconds), seconds, 0, 0, event);
  waiting = std::max(waiting, seconds);
}

bool Timeline::event_recorded(u32 event) const { return events_.contains(event); }

double Timeline::event_time(u32 event) const {
  const auto found = events_.find(event);
  return found == events_.end() ? 0 : found->second;
}

bool Timeline::event_done(u32 event) const { return event_time(event) <= host_; }

bool Timeline::stream_done(u32 stream) const { return work_end(stream) <= host_; }

void Timeline::wait_until(double end) { host_ = std::max(host_, end); }

void Timeline::synchronize_stream(u32 stream) {
  wait_until(work_end(stream));
  host_call(device_.synchronize_us);
}

void Timeline::synchronize_event(u32 event) {
  wait_until(event_time(event));
  host_call(device_.synchronize_us);
}

void Timeline::synchronize_device() {
  wait_until(last_end_);
  host_call(device_.synchronize_us);
}

double Timeline::device_end() const { return last_end_; }

}  // namespace roofline::sim
